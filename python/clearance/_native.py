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
# What fills bare surfaces (docs/meshing.md).
_mesh_program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clearance-mesh")
if os.path.exists(_mesh_program):
    os.environ.setdefault("CLEARANCE_MESH", _mesh_program)
# Big arrays come and go in every Newton iteration: given back each time, their pages would be faulted in anew.
core.keep_freed_memory()
