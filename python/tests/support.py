"""Code that the tests share. PYTHONPATH finds the package, CLEARANCE_PROGRAM the program."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import clearance as cl

PROGRAM = os.environ.get("CLEARANCE_PROGRAM", "clearance")
IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


class InFolder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="clearance-python-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)


def drop(**keys):
    """Returns a soft box above a floor: it lands within twenty steps."""
    scene = cl.Scene(**{"time": {"step": 0.02, "duration": 0.4}, **keys})
    scene.add_body("box", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
                   material={"youngs_modulus": 1e5}, transform={"translation": [0, 0.1, 0], "rotation": [0, 0, 20]})
    scene.add_half_space(point=[0, 0, 0], normal=[0, 1, 0])
    return scene


def bar():
    """Returns vertices and tets of a bar, as a user may make them."""
    mesh = cl.generate("box", [0.2, 0.05, 0.05], [4, 1, 1])
    return mesh.vertices, mesh.tets


def run_program(*arguments, check=True):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=check)
