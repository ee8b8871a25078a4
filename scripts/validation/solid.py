"""An elastic solid under static load: its scene for Clearance, and its deck of the same mesh for CalculiX."""

import itertools
import math
import os
import subprocess
from dataclasses import dataclass, field

from bench_common import read_frd

from .meshes import Mesh

EDGES = {2: ((0, 1), (1, 2), (2, 0)), 3: ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))}
SIDES = {2: ((0, 1), (1, 2), (2, 0)), 3: ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))}  # as CalculiX numbers them


@dataclass
class Hold:
    """Nodes of a group whose components are prescribed: zero, or a displacement of position and time."""
    group: str
    components: str  # such as "xz"
    displacement: tuple = ()  # formulas for the scene, in x, y, z and t
    function: object = None  # of a point: its displacement at the end, for CalculiX


@dataclass
class Load:
    """Load on the faces of a group (its kinds are those of a scene), or an acceleration of the whole solid."""
    kind: str  # pressure, traction, force or acceleration
    group: str = ""
    value: object = 0.0
    expression: tuple = ()


@dataclass
class Solid:
    mesh: Mesh
    young: float
    poisson: float
    holds: list
    loads: list
    density: float = 1000.0
    point: tuple = ()  # vertex whose displacement the probe `point` tells
    fields: tuple = ()
    pinned: list = field(default_factory=list)  # (vertex, components)

    def scene(self, step=1.0):
        """Returns the scene, whose loads act at once or, if there are several steps, grow with time."""
        share = "" if step == 1.0 else " * t"
        motions = [{"region": {"tags": [h.group]}, "components": [c in h.components for c in "xyz"]}
                   | ({"displacement": list(h.displacement)} if h.displacement else {}) for h in self.holds]
        motions += [{"region": {"nodes": [v]}, "components": [c in components for c in "xyz"]}
                    for v, components in self.pinned]
        body = {"name": "solid", "mesh": "solid.msh", "units": "m", "self_contact": False, "motions": motions,
                "loads": [load_of_scene(load, share) for load in self.loads],
                "material": {"density": self.density, "youngs_modulus": self.young, "poisson_ratio": self.poisson}}
        probes = [{"name": "point", "kind": "position", "body": "solid",
                   "point": list(self.point)}] if self.point else []
        return {"dimension": self.mesh.dim, "time": {"integrator": "quasi_static", "step": step, "duration": 1},
                "gravity": [0, 0, 0], "bodies": [body],
                "output": {"fields": ["displacement", *self.fields], "probes": probes}}

    def files(self):
        return {"solid.msh": self.mesh.gmsh()}


def load_of_scene(load, share):
    region = {"region": {"tags": [load.group]}} if load.group else {}
    if load.kind == "pressure":
        return region | {"kind": "pressure", "pressure": f"{load.value!r}{share}"}
    if load.expression:
        return region | {"kind": load.kind, "expression": list(load.expression)}
    if share:
        return region | {"kind": load.kind, "expression": [f"{v!r}{share}" if v else "0" for v in load.value]}
    return region | {"kind": load.kind, "value": list(load.value)}


# --- CalculiX ---


def quadratic(mesh):
    """Returns the points and cells of the mesh with a node in the middle of every edge, and that node by edge."""
    points, middle, cells = list(mesh.points), {}, []
    for cell in mesh.cells:
        nodes = list(cell)
        for a, b in EDGES[mesh.dim]:
            key = tuple(sorted((cell[a], cell[b])))
            if key not in middle:
                middle[key] = len(points)
                points.append(tuple((x + y) / 2 for x, y in zip(mesh.points[key[0]], mesh.points[key[1]])))
            nodes.append(middle[key])
        cells.append(nodes)
    return points, cells, middle


def nodes_of(faces, middle):
    """Returns the nodes of faces or edges, those in the middle of edges included."""
    return sorted({v for f in faces for v in f} |
                  {middle[tuple(sorted(e))] for f in faces for e in itertools.combinations(f, 2)})


def face_area(points, face):
    a, b = points[face[0]], points[face[1]]
    if len(face) == 2:
        return math.dist(a, b)
    u, v = ([p - q for p, q in zip(points[f], a)] for f in face[1:])
    return math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2


def even_forces(mesh, middle, load):
    """Returns the forces [N] at the nodes of faces under an even traction, by node."""
    faces = mesh.groups[load.group]
    areas = [face_area(mesh.points, f) for f in faces]
    scale = 1.0 if load.kind == "traction" else 1 / math.fsum(areas)
    forces = {}
    for face, area in zip(faces, areas):
        edges = [middle[tuple(sorted(e))] for e in itertools.combinations(face, 2)]
        shares = {v: 1 / 6 for v in face} | {edges[0]: 2 / 3} if len(face) == 2 else {e: 1 / 3 for e in edges}
        for node, part in shares.items():
            old = forces.get(node, (0.0, 0.0, 0.0))
            forces[node] = tuple(o + part * area * scale * v for o, v in zip(old, load.value))
    return forces


def element_sides(mesh, group):
    """Returns (element, side), from 1, of the faces of a group."""
    wanted = {tuple(sorted(f)) for f in mesh.groups[group]}
    return [(e + 1, s + 1) for e, cell in enumerate(mesh.cells) for s, side in enumerate(SIDES[mesh.dim])
            if tuple(sorted(cell[c] for c in side)) in wanted]


def load_of_deck(solid, middle, load):
    if load.kind == "pressure":
        return ["*DLOAD", *(f"{e}, P{s}, {load.value!r}" for e, s in element_sides(solid.mesh, load.group))]
    if load.kind == "acceleration":
        size = math.hypot(*load.value)
        return ["*DLOAD", f"ALL, GRAV, {size!r}, " + ", ".join(repr(v / size) for v in load.value)]
    forces = even_forces(solid.mesh, middle, load)
    return ["*CLOAD", *(f"{v + 1}, {d + 1}, {f[d]:.12g}" for v, f in forces.items() for d in range(3) if f[d])]


def boundary_of_deck(solid, points, middle):
    """Returns the lines of prescribed components."""
    lines = [f"{v + 1}, {'xyz'.index(c) + 1}" for v, components in solid.pinned for c in components]
    for hold in solid.holds:
        for v in nodes_of(solid.mesh.groups[hold.group], middle):
            moves = hold.function(*points[v]) if hold.function else (0.0, 0.0, 0.0)
            for d in map("xyz".index, hold.components):
                lines.append(f"{v + 1}, {d + 1}, {d + 1}, {moves[d]:.12g}")
    return list(dict.fromkeys(lines))


def deck(solid, is_large):
    """Returns the input of CalculiX for quadratic elements on the mesh; it reads 20 characters of a number."""
    points, cells, middle = quadratic(solid.mesh)
    lines = ["*NODE, NSET=NALL", *(f"{i + 1}, " + ", ".join(f"{x:.12g}" for x in p) for i, p in enumerate(points))]
    lines.append(f"*ELEMENT, TYPE={'C3D10' if solid.mesh.dim == 3 else 'CPE6'}, ELSET=ALL")
    lines += [f"{e + 1}, " + ", ".join(str(v + 1) for v in c) for e, c in enumerate(cells)]
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", f"{solid.young!r}, {solid.poisson!r}", "*DENSITY", repr(solid.density),
              "*SOLID SECTION, ELSET=ALL, MATERIAL=M", *(["1."] if solid.mesh.dim == 2 else [])]
    lines += ["*STEP, NLGEOM, INC=1000" if is_large else "*STEP", "*STATIC"]
    lines += ["*BOUNDARY", *boundary_of_deck(solid, points, middle)]
    for load in solid.loads:
        lines += load_of_deck(solid, middle, load)
    lines += ["*NODE FILE", "U, RF", "*EL FILE", "S", "*END STEP"]
    return "\n".join(lines) + "\n"


@dataclass
class Peer:
    """Nodal results of CalculiX by name (DISP, STRESS, FORC), and the mesh they belong to."""
    solid: Solid
    blocks: dict
    seconds: float

    def displacement(self, point):
        return self.blocks["DISP"][self.solid.mesh.nearest(point)]

    def stress(self, point):
        """Returns xx, yy, zz, xy, yz, zx at a vertex."""
        return self.blocks["STRESS"][self.solid.mesh.nearest(point)]

    def reactions(self, group):
        """Returns (point, force) of the nodes of a group."""
        points, _, middle = quadratic(self.solid.mesh)
        return [(points[v], self.blocks["FORC"][v]) for v in nodes_of(self.solid.mesh.groups[group], middle)]


def run_calculix(program, solid, folder, is_large=False):
    """Runs CalculiX with one thread; returns a Peer with its processor seconds."""
    (folder / "deck.inp").write_text(deck(solid, is_large))
    with open(folder / "ccx.log", "w") as log:
        process = subprocess.Popen(["nice", "-n", "5", program, "-i", "deck"], cwd=folder, stdout=log, stderr=log,
                                   env=os.environ | {"OMP_NUM_THREADS": "1"})
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or "Job finished" not in (folder / "ccx.log").read_text():
        raise RuntimeError(f"CalculiX: {(folder / 'ccx.log').read_text()[-300:]}")
    return Peer(solid, read_frd(folder / "deck.frd"), usage.ru_utime + usage.ru_stime)
