"""Builds the scene of a run in Blender (3.4 or later), from the files that `clearance export -o NAME.pc2` has written beside
this script:

    blender --python NAME_blender.py                       shows it
    blender -b --python NAME_blender.py -- NAME.blend      saves it; caches are named relative to it

Frame n of Blender is the n-th exported frame, counted from 0. Bodies that deform are meshes with a mesh cache, stiff ones
have keyframes. All are children of one empty, which turns the run's upward axis to z; places within it are those of the run.
"""

import ast
import json
import math
import sys
from array import array
from pathlib import Path

import bpy  # and nothing that is not Python's own: some Blenders come without NumPy

SHARP = math.radians(35)  # edges that turn by more are drawn sharp


def read_obj(path):
    """Vertices, edges and faces of what Clearance writes; lone points are vertices without either."""
    vertices, edges, faces = [], [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, *words = line.split() or [""]
            if kind == "v":
                vertices.append([float(word) for word in words])
            elif kind == "f":
                faces.append([int(word) - 1 for word in words])
            elif kind == "l":
                edges.append([int(word) - 1 for word in words])
    return vertices, edges, faces


def read_poses(path):
    """By frame and body: x y z of the centre, w x y z of the rotation; an array of NumPy, little endian."""
    data = path.read_bytes()
    start = 10 + int.from_bytes(data[8:10], "little")
    num_frames, num_bodies, size = ast.literal_eval(data[10:start].decode())["shape"]
    numbers = array("d", data[start:])
    if sys.byteorder == "big":
        numbers.byteswap()
    rows = [numbers[i : i + size] for i in range(0, len(numbers), size)]
    return [rows[i : i + num_bodies] for i in range(0, num_frames * num_bodies, num_bodies)]


def make_material(body):
    material = bpy.data.materials.new(body["name"])
    color = (*body["color"], 1.0)
    material.diffuse_color = color
    material.use_nodes = True
    shader = material.node_tree.nodes.get("Principled BSDF")
    if shader is not None:
        shader.inputs["Base Color"].default_value = color
        shader.inputs["Roughness"].default_value = 0.6
    return material


def make_object(folder, body):
    vertices, edges, faces = read_obj(folder / body["mesh"])
    is_moved = body["cache"] is None  # as a whole, about its centre
    if is_moved:
        vertices = [[x - c for x, c in zip(vertex, body["center"])] for vertex in vertices]
    mesh = bpy.data.meshes.new(body["name"])
    mesh.from_pydata(vertices, edges, faces)
    if faces:
        mesh.polygons.foreach_set("use_smooth", [True] * len(faces))
        if hasattr(mesh, "use_auto_smooth"):
            mesh.use_auto_smooth = True
            mesh.auto_smooth_angle = SHARP
        elif hasattr(mesh, "set_sharp_from_angle"):
            mesh.set_sharp_from_angle(angle=SHARP)
    mesh.materials.append(make_material(body))
    mesh.update()
    made = bpy.data.objects.new(body["name"], mesh)
    made["clearance_body"] = body["body"]
    made["clearance_is_obstacle"] = body["is_obstacle"]
    made.rotation_mode = "QUATERNION"
    if is_moved:
        made.location = body["center"]
    return made


def add_cache(made, path):
    cache = made.modifiers.new("Clearance", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.forward_axis = "POS_Y"
    cache.up_axis = "POS_Z"  # these two: as the numbers are
    cache.frame_start = 0
    cache.filepath = str(path)


def curves_of(made):
    action = made.animation_data.action
    if hasattr(action, "fcurves"):
        return action.fcurves
    return action.layers[0].strips[0].channelbag(made.animation_data.action_slot).fcurves


def add_keyframes(made, poses):
    """`poses`: by frame x y z of the centre, w x y z of the rotation."""
    for path in ("location", "rotation_quaternion"):
        made.keyframe_insert(path, frame=0)
    for curve in curves_of(made):
        column = curve.array_index + (0 if curve.data_path == "location" else 3)
        points = curve.keyframe_points
        points.add(len(poses) - len(points))
        points.foreach_set("co", [x for frame, pose in enumerate(poses) for x in (frame, pose[column])])
        for point in points:
            point.interpolation = "LINEAR"
        curve.update()


def set_times(scene, run):
    times = [frame["time"] for frame in run["frames"]]
    scene.frame_start, scene.frame_end = 0, max(len(times) - 1, 0)
    if len(times) < 2:
        return
    rate = run["speed"] * (len(times) - 1) / (times[-1] - times[0])
    if not 0.001 <= rate <= 30000:
        print(f"Clearance: {rate:g} frames a second are none of Blender's; 24 instead", file=sys.stderr)
        rate = 24
    scene.render.fps = max(round(rate), 1)
    scene.render.fps_base = scene.render.fps / rate


def remove_startup_cube():
    """In a new file only: what Blender shows at its start."""
    if not bpy.data.filepath and {thing.name for thing in bpy.data.objects} == {"Cube", "Camera", "Light"}:
        bpy.data.objects.remove(bpy.data.objects["Cube"])


def build(head):
    """The scene of NAME.json in the scene that is open; the empty that holds all."""
    head = Path(head).resolve()
    folder, run = head.parent, json.loads(head.read_text(encoding="utf-8"))
    poses = read_poses(folder / run["poses"]) if run["poses"] else None
    scene = bpy.context.scene
    collection = bpy.data.collections.new(run["name"])
    scene.collection.children.link(collection)
    objects = []
    for body in run["bodies"]:
        made = make_object(folder, body)
        collection.objects.link(made)
        objects.append(made)
        if body["cache"] is not None:
            add_cache(made, folder / body["cache"])
        elif body["pose"] is not None:
            add_keyframes(made, [frame[body["pose"]] for frame in poses])
    # Last, so that a body of the same name keeps its own.
    root = bpy.data.objects.new(run["name"], None)
    root.rotation_mode = "QUATERNION"
    half = math.sqrt(0.5)
    root.rotation_quaternion = {"x": (half, 0, -half, 0), "y": (half, half, 0, 0), "z": (1, 0, 0, 0)}[run["up"]]
    root.scale = (run.get("metres_per_unit", 1.0),) * 3
    collection.objects.link(root)
    for made in objects:
        made.parent = root
    set_times(scene, run)
    scene.frame_set(0)
    return root


def save(path):
    path = Path(path).resolve()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    for thing in bpy.data.objects:
        for modifier in thing.modifiers:
            if modifier.type == "MESH_CACHE":
                modifier.filepath = bpy.path.relpath(modifier.filepath, start=str(path.parent))
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


if __name__ == "__main__":
    script = Path(__file__).resolve()
    remove_startup_cube()
    build(script.with_name(script.name[: -len("_blender.py")] + ".json"))
    if "--" in sys.argv and sys.argv[-1] != "--":
        save(sys.argv[-1])
