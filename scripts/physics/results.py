"""Stored results of a run: steps, warnings, and the motion of each body."""

import array
import json
import math
import re
from pathlib import Path

from . import vectors as vec
from .scenes import mass_properties

TYPES = {"Float64": ("d", 8), "Int32": ("i", 4), "Int64": ("q", 8), "UInt8": ("B", 1)}
TRIANGLE, TETRAHEDRON = 5, 10  # VTK's numbers of cell types


def read_arrays(path):
    """Returns all arrays of a .vtu frame by name, flat."""
    data = Path(path).read_bytes()
    start = data.index(b"<AppendedData")
    head, base = data[:start].decode(), data.index(b"_", start) + 1
    arrays = {}
    for type_name, name, offset in re.findall(r'type="(\w+)" Name="(\w+)"[^>]*format="appended" offset="(\d+)"', head):
        at = base + int(offset)
        size = int.from_bytes(data[at:at + 8], "little")
        values = array.array(TYPES[type_name][0])
        values.frombytes(data[at + 8:at + 8 + size])
        arrays[name] = values
    return arrays


def vectors_of(flat, vertices):
    return [(flat[3 * v], flat[3 * v + 1], flat[3 * v + 2]) for v in vertices]


def tetrahedron_volume(points, tetrahedron):
    p, q, r, s = (points[i] for i in tetrahedron)
    return abs(vec.dot(vec.sub(q, p), vec.cross(vec.sub(r, p), vec.sub(s, p)))) / 6


class Run:
    """Positions, velocities and spins of bodies by name and stored frame (0 the start, -1 the end)."""

    def __init__(self, folder, scene):
        folder = Path(folder)
        self.scene = scene
        self.steps = [json.loads(line) for line in (folder / "stats.jsonl").read_text().splitlines()]
        self.summary = json.loads((folder / "summary.json").read_text())
        self.warnings = sorted({w.get("name", "?") for w in self.summary.get("warnings", [])})
        self.num_unconverged = sum(s["status"] != "converged" for s in self.steps)
        self.files = sorted((folder / "frames").glob("frame_*.vtu"))
        self.numbers = [int(file.stem.split("_")[1]) for file in self.files]  # steps of the frames
        self.kinds = {body["name"]: body.get("kind", "deformable") for body in scene["bodies"]}
        self.frames = {}
        self.find_vertices([body["name"] for body in json.loads((folder / "bodies.json").read_text())])

    # --- frames ---

    def frame(self, index):
        index %= len(self.files)
        if index not in self.frames:
            self.frames[index] = read_arrays(self.files[index])
        return self.frames[index]

    def find_vertices(self, names):
        """Finds vertices and cells of each body, and the share of its mass that each vertex represents.

        Elements give equal parts to their nodes. The meshes of stiff bodies are symmetric, so that the mean of their
        vertices is the centre of mass.
        """
        first = self.frame(0)
        vertices = {n: set() for n in names}
        cells = {TETRAHEDRON: {n: [] for n in names}, TRIANGLE: {n: [] for n in names}}
        self.tetrahedra, self.triangles = cells[TETRAHEDRON], cells[TRIANGLE]  # stiff bodies have triangles only
        begin = 0
        for end, body, cell_type in zip(first["offsets"], first["body"], first["types"]):
            cell = tuple(first["connectivity"][begin:end])
            vertices[names[body]].update(cell)
            if cell_type in cells:
                cells[cell_type][names[body]].append(cell)
            begin = end
        self.vertices = {name: sorted(v) for name, v in vertices.items()}
        self.weights = {name: self.vertex_weights(name) for name in names}

    def vertex_weights(self, name):
        ids = self.vertices[name]
        if self.kinds.get(name) != "deformable":
            return [1 / len(ids)] * len(ids)
        points = dict(zip(ids, self.points(name, 0)))
        weights = dict.fromkeys(ids, 0.0)
        for tetrahedron in self.tetrahedra[name]:
            for vertex in tetrahedron:
                weights[vertex] += tetrahedron_volume(points, tetrahedron) / 4
        volume = math.fsum(weights.values())
        return [weights[v] / volume for v in ids]

    def volume(self, name):
        """Returns the volume inside the surface of a stiff body [m^3]."""
        points = dict(zip(self.vertices[name], self.points(name, 0)))
        return mass_properties((points, self.triangles[name]))[0]

    # --- motion ---

    def time(self, index):
        return self.numbers[index] * self.scene["time"]["step"]

    def points(self, name, index=-1):
        return vectors_of(self.frame(index)["Points"], self.vertices[name])

    def velocities(self, name, index=-1):
        return vectors_of(self.frame(index)["velocity"], self.vertices[name])

    def forces(self, name, index=-1):
        """Returns the contact force on each vertex [N], friction included."""
        return [vec.add(*both) for both in zip(*(vectors_of(self.frame(index)[part], self.vertices[name])
                                                 for part in ("normal_force", "friction_force")))]

    def mean(self, name, vectors):
        return vec.total([vec.mul(w, v) for w, v in zip(self.weights[name], vectors)])

    def position(self, name, index=-1):
        """Returns the position of the centre of mass [m]."""
        return self.mean(name, self.points(name, index))

    def velocity(self, name, index=-1):
        return self.mean(name, self.velocities(name, index))

    def displacement(self, name, start=0, end=-1):
        return vec.sub(self.position(name, end), self.position(name, start))

    def offsets_and_rates(self, name, index=-1):
        """Returns positions and velocities of the vertices relative to the centre of mass."""
        points, rates = self.points(name, index), self.velocities(name, index)
        p, v = self.mean(name, points), self.mean(name, rates)
        return [vec.sub(x, p) for x in points], [vec.sub(x, v) for x in rates]

    def spin(self, name, index=-1):
        """Returns the angular velocity [rad/s] that fits the velocities of the vertices best."""
        offsets, rates = self.offsets_and_rates(name, index)
        matrix = [[0.0] * 3 for _ in range(3)]
        for r in offsets:
            r2 = vec.dot(r, r)
            for i in range(3):
                for k in range(3):
                    matrix[i][k] += (r2 if i == k else 0.0) - r[i] * r[k]
        return vec.solve3(matrix, vec.total([vec.cross(r, v) for r, v in zip(offsets, rates)]))

    def angular_momentum(self, name, index=-1):
        """Returns the angular momentum about the centre of mass, per mass [m^2/s]. A stiff body must be a box: its
        corners have three times its moments."""
        offsets, rates = self.offsets_and_rates(name, index)
        share = 1.0 if self.kinds.get(name) == "deformable" else 1 / 3
        return self.mean(name, [vec.mul(share, vec.cross(r, v)) for r, v in zip(offsets, rates)])

    def kinetic(self, name, index=-1):
        """Returns the kinetic energy per mass [J/kg]; a stiff body must be a box, as above."""
        offsets, rates = self.offsets_and_rates(name, index)
        share = 1.0 if self.kinds.get(name) == "deformable" else 1 / 3
        v = self.velocity(name, index)
        inside = math.fsum(w * vec.dot(u, u) for w, u in zip(self.weights[name], rates))
        return 0.5 * vec.dot(v, v) + 0.5 * share * inside

    def energies(self):
        """Returns the sum of all energies after each step [J]."""
        return [math.fsum(step["energy"].values()) for step in self.steps]

    def least_gap(self):
        """Returns the least gap at the end [m]; 0 without contact."""
        return self.steps[-1]["min_distance"] or 0.0

    def second_half(self):
        """Returns indices of the frames of the second half of the run, if all are stored."""
        return range(len(self.files) // 2, len(self.files))
