"""Small runs that the tests of exports share, and their frames, read without Clearance."""

import json
import re
import struct
import subprocess
from array import array
from pathlib import Path

SKIPPED = 77

BOX = {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [3, 3, 3]}
SOLID = {
    "name": "box and ball", "time": {"step": 0.02, "duration": 0.6}, "friction": {"coefficient": 0.3},
    "half_spaces": [{"point": [0, -0.3, 0]}], "output": {"contact_forces": True, "fields": ["von_mises"]},
    "bodies": [
        {"name": "box", "generator": BOX, "material": {"youngs_modulus": 5e4}},
        {"name": "ball", "kind": "rigid", "generator": {"kind": "sphere", "size": [0.2], "resolution": [3], "exact": False},
         "transform": {"translation": [0.1, 0.6, 0]}, "linear_velocity": [0.5, -1, 0.3], "angular_velocity": [9, 5, 20]},
        {"name": "post", "kind": "obstacle", "generator": {"kind": "box", "size": [0.1, 0.6, 0.1]},
         "transform": {"translation": [0.6, 0.01, 0]}}]}
PLANE = {
    "name": "disk", "dimension": 2, "time": {"step": 0.02, "duration": 0.4}, "half_spaces": [{"point": [0, -0.3, 0]}],
    "bodies": [{"name": "disk", "order": 2, "generator": {"kind": "disk", "size": [0.25], "resolution": [2]},
                "material": {"youngs_modulus": 2e4}},
               {"name": "bar", "kind": "affine", "generator": {"kind": "rectangle", "size": [0.6, 0.1]},
                "transform": {"translation": [0.1, 0.4, 0]}}]}


def curved(order):
    """Returns a box of this order that falls along z."""
    return {"name": f"order {order}", "time": {"step": 0.02, "duration": 0.2}, "gravity": [0, 0, -9.81],
            "half_spaces": [{"point": [0, 0, -0.3], "normal": [0, 0, 1]}], "output": {"fields": ["von_mises"]},
            "bodies": [{"name": "box", "order": order, "material": {"youngs_modulus": 5e4},
                        "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [1, 1, 1]}}]}


def make_run(program, folder, name, scene):
    path = Path(folder) / f"{name}.json"
    path.write_text(json.dumps(scene))
    subprocess.run([program, "run", str(path), "-o", str(Path(folder) / name), "-q"], check=True)
    return Path(folder) / name


def export(program, run, output, *options):
    """Exports the run; returns the command's messages."""
    said = subprocess.run([program, "export", str(run), "-o", str(output), "--json", *options], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return json.loads(said)


def frames_of(run):
    run = Path(run)
    return [run / file for file in re.findall(r'file="([^"]+)"', (run / "frames.pvd").read_text())]


def array_of(path, name, code="d"):
    """Returns an array of a frame as flat numbers."""
    data = Path(path).read_bytes()
    start = data.index(b"_", data.index(b"<AppendedData")) + 1
    offset = int(re.search(rb'Name="%s"[^>]*offset="(\d+)"' % name.encode(), data)[1])
    (size,) = struct.unpack_from("<Q", data, start + offset)
    return array(code, data[start + offset + 8 : start + offset + 8 + size])


def points_of(path):
    numbers = array_of(path, "Points")
    return [tuple(numbers[i : i + 3]) for i in range(0, len(numbers), 3)]
