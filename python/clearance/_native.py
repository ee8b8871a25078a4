"""Loads the compiled part for this processor (CLEARANCE_PROCESSOR chooses another, for tests)."""

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
# The programs that fill bare surfaces (docs/meshing.md) and read robots (docs/robot_models.md) lie beside the module,
# in its folder bin (wheels), or in bin/ of the folder in which all of Clearance is installed.
_folder = os.path.dirname(os.path.abspath(__file__))
for _name, _variable in (("clearance-mesh", "CLEARANCE_MESH"), ("clearance-robot", "CLEARANCE_ROBOT")):
    for _place in (_folder, os.path.join(_folder, "bin"), os.path.join(_folder, *[os.pardir] * 4, "bin")):
        _program = os.path.join(_place, _name)
        if os.path.exists(_program):
            os.environ.setdefault(_variable, os.path.normpath(_program))
            break
# Every Newton iteration allocates and frees big arrays: if their memory were given back each time, its pages would be
# faulted in anew.
core.keep_freed_memory()
