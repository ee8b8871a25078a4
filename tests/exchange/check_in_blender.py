"""In Blender: builds the scene of point caches and prints where its vertices are, for blender_test.py.

blender -b --factory-startup --python check_in_blender.py -- NAME.json FRAME...
"""

import json
import runpy
import sys
from pathlib import Path

import bpy

words = sys.argv[sys.argv.index("--") + 1 :]
head = Path(words[0])
script = runpy.run_path(str(head.with_name(head.stem + "_blender.py")), run_name="imported")
root = script["build"](head)
scene = bpy.context.scene
told = {"rate": scene.render.fps / scene.render.fps_base, "frames": [scene.frame_start, scene.frame_end], "bodies": {}}
run = json.loads(head.read_text())
axis = {"x": 0, "y": 1, "z": 2}[run["up"]]
told["up"] = [row[axis] for row in root.matrix_world.to_3x3()]
for number in map(int, words[1:]):
    scene.frame_set(number)
    graph = bpy.context.evaluated_depsgraph_get()
    for thing in bpy.data.objects:
        if "clearance_body" not in thing:
            continue
        shown = thing.evaluated_get(graph)
        mesh = shown.to_mesh()
        places = [list(shown.matrix_basis @ vertex.co) for vertex in mesh.vertices]
        body = told["bodies"].setdefault(thing.name, {"faces": len(mesh.polygons), "places": {}})
        body["places"][number] = places
        shown.to_mesh_clear()
print("TOLD " + json.dumps(told))
