"""The compiled part for this processor (CLEARANCE_PROCESSOR chooses another, for tests)."""

import importlib
import importlib.util
import os
from typing import TYPE_CHECKING

from . import _processor


def _load():
    has_fast = importlib.util.find_spec("._core_v3", __package__) is not None
    return importlib.import_module("._core_v3" if has_fast and _processor.has_avx2() else "._core", __package__)


if TYPE_CHECKING:
    from . import _core as core
else:
    core = _load()
version: str = core.version
# What fills bare surfaces (docs/meshing.md): beside the module, or in bin/ of where all of Clearance is installed.
_folder = os.path.dirname(os.path.abspath(__file__))
for _mesh_program in (os.path.join(_folder, "clearance-mesh"),
                      os.path.join(_folder, *[os.pardir] * 4, "bin", "clearance-mesh")):
    if os.path.exists(_mesh_program):
        os.environ.setdefault("CLEARANCE_MESH", os.path.normpath(_mesh_program))
        break
# Big arrays come and go in every Newton iteration: given back each time, their pages would be faulted in anew.
core.keep_freed_memory()
