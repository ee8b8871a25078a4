#!/usr/bin/env python3
"""Elements of order 1 to 4 against theory and CalculiX: `./dev bench high-order`.

  cantilever  a beam with few elements through its thickness: deflection over Timoshenko's
  hertz       a quarter of a ball, pressed onto a plane by a contact radius squared: contact force over Hertz's
  nafems1     a steel roller on an aluminium block, plane strain [Konter 2006, 1]: half width and pressures over Hertz's
  nafems2     a steel punch with a rounded edge on an aluminium cylinder [Konter 2006, 2]: displacements beside those of
              axisymmetric elements of CalculiX on finer meshes

Contact problems have linear elasticity, like their theory. Meshes are graded: cells around the place of contact, and
layers of cells around these that grow outwards. Curved elements have their nodes on the exact shape. CalculiX: the same
quadratic elements, surface-to-surface penalty contact of 1e7 MPa/mm, without large deformations. One thread each.
"""

import argparse
import csv
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from bench_common import busy_percent, machine, read_frd, table
from physics.results import read_arrays


# --- meshes ---


@dataclass
class Mesh:
    """Triangles (2D) or tetrahedra of order 1 or 2: each lists its corners, then the nodes of EDGES."""
    points: list
    cells: list
    dim: int
    order: int

    def nodes(self, where):
        """Returns the numbers of the nodes at points for which `where` holds."""
        return [i for i, p in enumerate(self.points) if where(*p)]


EDGES = {2: ((0, 1), (1, 2), (2, 0)), 3: ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))}
GMSH_TYPES = {(2, 1): 2, (2, 2): 9, (3, 1): 4, (3, 2): 11}


def write_gmsh(mesh, path):
    order_of_nodes = list(range(len(mesh.cells[0])))
    if mesh.dim == 3 and mesh.order == 2:
        order_of_nodes[8:] = [9, 8]  # Gmsh has edge 2-3 before 1-3
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(mesh.points))]
    lines += [f"{i + 1} {' '.join(map(repr, p))}" + " 0" * (3 - mesh.dim) for i, p in enumerate(mesh.points)]
    lines += ["$EndNodes", "$Elements", str(len(mesh.cells))]
    kind = GMSH_TYPES[mesh.dim, mesh.order]
    lines += [f"{e + 1} {kind} 2 0 1 " + " ".join(str(c[k] + 1) for k in order_of_nodes)
              for e, c in enumerate(mesh.cells)]
    path.write_text("\n".join([*lines, "$EndElements"]) + "\n")


def determinant(rows):
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def mesh_of(fan, place, order):
    """Cuts the cells of a fan into simplices; `place` maps its points. Middles of edges are those of the fan's
    names."""
    dim, points, numbers = fan.dim, [], {}

    def number(name):
        if name not in numbers:
            numbers[name] = len(points)
            points.append(place(fan.at(name)))
        return numbers[name]

    def volume(corners):
        return determinant([[x - y for x, y in zip(p, corners[0])] for p in corners[1:]])

    cells = []
    for cube in fan.cubes():
        for axes in itertools.permutations(range(dim)):
            path = [0]
            for axis in axes:
                path.append(path[-1] | 1 << axis)
            names = [cube[bits] for bits in path]
            # Orientation is judged in the fan: an element that only bending turns over is a fold.
            if volume([fan.cubic(name) for name in names]) < 0:
                names[0], names[1] = names[1], names[0]
            if order == 2:
                names += [tuple((x + y) / 2 for x, y in zip(names[a], names[b])) for a, b in EDGES[dim]]
            cells.append(tuple(number(name) for name in names))
    volumes = [volume([points[v] for v in c[:dim + 1]]) for c in cells]
    if min(volumes) < 0 < max(volumes):
        raise RuntimeError("folded mesh")
    if max(volumes) < 0:
        turn = {c: i for i, c in enumerate([1, 0, *range(2, dim + 1)])}
        swap = [1, 0, *range(2, dim + 1)]
        if order == 2:
            edges = [tuple(sorted(e)) for e in EDGES[dim]]
            swap += [dim + 1 + edges.index(tuple(sorted((turn[a], turn[b])))) for a, b in EDGES[dim]]
        cells = [tuple(c[k] for k in swap) for c in cells]
    return Mesh(points, cells, dim, order)


class Fan:
    """Cells around a corner: `n` to each side of a cube of size 1, and layers around it up to each of the radii.

    Names are (layer, q...), q in the unit cube and beyond layer 0 on those faces of it that are away from the corner.
    """

    def __init__(self, dim, n, radii, is_round=True):
        self.dim, self.n, self.radii, self.is_round = dim, n, [1.0, *radii], is_round

    def cubes(self):
        n, dim = self.n, self.dim
        cells = list(itertools.product(range(n), repeat=dim))
        for cell in cells:
            yield [(0.0, *((cell[d] + (bits >> d & 1)) / n for d in range(dim))) for bits in range(1 << dim)]
        for layer in range(len(self.radii) - 1):
            for axis in range(dim):
                for cell in itertools.product(range(n), repeat=dim - 1):
                    # The layer replaces the axis, so that faces are cut alike on both sides.
                    yield [self.name(layer, axis, cell, bits) for bits in range(1 << dim)]

    def name(self, layer, axis, cell, bits):
        steps = [(cell[k] + (bits >> k & 1)) / self.n for k in range(self.dim - 1)]
        return (float(layer + (bits >> self.dim - 1)), *steps[:axis], 1.0, *steps[axis:])

    def cubic(self, name):
        """Returns the point of a name if all layers are cubes; the inner one has size 1."""
        layer, *q = name
        low = min(int(layer), len(self.radii) - 2)
        radius = self.radii[low] + (layer - low) * (self.radii[low + 1] - self.radii[low])
        return [radius * x for x in q]

    def at(self, name):
        """Returns the same point if layers become round gradually, slowly enough not to meet."""
        p = self.cubic(name)
        radius = max(p)
        if not self.is_round or radius <= 1:
            return p
        share = min(1, (radius - 1) / (1.5 if self.dim == 2 else 5))
        return [x * (1 - share + share * radius / math.hypot(*p)) for x in p]


def growing(n, reach):
    """Returns radii of layers that are as high as the cells of a fan are wide."""
    count = max(1, round(math.log(reach) / math.log(1 + 1.5 / n)))
    return [reach ** ((i + 1) / count) for i in range(count)]


class Line:
    """Cells of a straight line between places."""

    dim = 1

    def __init__(self, places):
        self.places = places

    def cubes(self):
        return [[(float(i),), (float(i + 1),)] for i in range(len(self.places) - 1)]

    def at(self, name):
        low = min(int(name[0]), len(self.places) - 2)
        return [self.places[low] + (name[0] - low) * (self.places[low + 1] - self.places[low])]

    cubic = at


class Column:
    """The cells of a Fan or Line, multiplied by those of a Line, which gives the last coordinate."""

    def __init__(self, base, line):
        self.base, self.line, self.dim = base, line, base.dim + 1

    def cubes(self):
        for cell in self.base.cubes():
            for low, high in self.line.cubes():
                yield [(*name, *level) for level in (low, high) for name in cell]

    def at(self, name):
        return [*self.base.at(name[:-1]), *self.line.at(name[-1:])]

    def cubic(self, name):
        return [*self.base.cubic(name[:-1]), *self.line.at(name[-1:])]


def onto_ball(p, radius):
    """Maps half a space (the last but one coordinate >= 0 in 3D, the last in 2D: y) onto a ball that rests on its
    plane.

    The map is an inversion: spheres stay spheres, and the one of twice the radius about the origin becomes the
    equator's plane.
    """
    top = (0, 2 * radius, 0)[:len(p)]
    seen = [x - t for x, t in zip((p[0], -p[1], *p[2:]), top)]
    share = 4 * radius * radius / math.fsum(x * x for x in seen)
    return tuple(t + share * x for t, x in zip(top, seen))


# --- runs ---


@dataclass
class Result:
    seconds: float
    steps: list  # lines of stats.jsonl
    probes: list  # a dictionary of numbers per step
    folder: Path

    @property
    def num_unconverged(self):
        return sum(step["status"] != "converged" for step in self.steps)


def simulate(options, name, scene):
    folder = options.results / name
    path = options.results / f"{name}.json"
    path.write_text(json.dumps(scene))
    start = time.time()
    command = [str(options.program), "run", str(path), "-o", str(folder), "--threads", "1", "-q", "--overwrite"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.time() - start
    if process.returncode != 0:
        raise RuntimeError(f"{name}: exit {process.returncode}: {process.stderr.strip()}")
    steps = [json.loads(line) for line in (folder / "stats.jsonl").read_text().splitlines()]
    probes = []
    if scene["output"].get("probes"):
        with (folder / "probes.csv").open() as lines:
            probes = [{k: float(v) if v else math.nan for k, v in row.items()} for row in csv.DictReader(lines)]
    result = Result(seconds, steps, probes, folder)
    if result.num_unconverged:
        print(f"{name}: {result.num_unconverged} steps did not converge: "
              f"{sorted({s['status'] for s in steps} - {'converged'})}")
    return result


# --- cantilever ---


def cantilever(options):
    """Bends a beam, ten times as long as thick, by a force at its end to a 500th of its length.

    It is half of a beam on its ends under a force in its middle, where its section stays plane, but is free to
    contract: a clamp would stiffen it.
    """
    length, thick, young, force = 1.0, 0.1, 1e9, 50.0
    rows = []
    for poisson in (0.0, 0.3, 0.49):
        # Theory has bending, and shear with Cowper's coefficient (1966) of rectangles.
        shear = 10 * (1 + poisson) / (12 + 11 * poisson)
        theory = force * (length ** 3 / (3 * young * thick ** 4 / 12) +
                          length / (shear * young / (2 + 2 * poisson) * thick ** 2))
        for order, along, across in ((1, 10, 1), (1, 20, 2), (1, 40, 4), (1, 80, 8), (2, 5, 1), (2, 10, 1), (2, 20, 2),
                                     (3, 3, 1), (3, 5, 1), (4, 2, 1), (4, 5, 1)):
            cells = [along, across, across]
            name = f"cantilever_{poisson:g}_{order}_{cells[0]}"
            root, end = ({"region": {"box": [[x, 0, 0], [x, 1, 1]], "frame": "body"}} for x in (0, 1))
            corners = [[[0, 0, z]] * 2 for z in (0, 1)]
            held = ((0, [[0, 0, 0], [0, 1, 1]], []), (1, corners[0], corners[1:]), (2, corners[0], []))
            body = {"name": "beam", "order": order,
                    "generator": {"kind": "box", "size": [length, thick, thick], "resolution": cells},
                    "material": {"youngs_modulus": young, "poisson_ratio": poisson},
                    "motions": [{"components": [d == 0, d == 1, d == 2],
                                 "region": {"box": box, "more_boxes": more, "frame": "body"}} for d, box, more in held],
                    "loads": [{"kind": "force", "value": [0, -force, 0]} | end,
                              {"kind": "force", "value": [0, force, 0]} | root]}
            scene = {"time": {"step": 1, "duration": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
                     "contact": {"enabled": False}, "solver": {"force_tolerance": 1e-8}, "bodies": [body],
                     "output": {"probes": [{"name": name, "kind": "position", "body": "beam"} | part
                                           for name, part in (("root", root), ("end", end))]}}
            result = simulate(options, name, scene)
            nodes = json.loads((result.folder / "summary.json").read_text())["vertices"]
            sunk = result.probes[-1]["root.y [m]"] - result.probes[-1]["end.y [m]"]
            rows.append([f"{poisson:g}", str(order), " x ".join(map(str, cells)), str(3 * nodes),
                         f"{100 * sunk / theory:.2f} %", f"{result.seconds:.2f}"])
            print("  ".join(rows[-1]), flush=True)
    return table(["Poisson's ratio", "order", "cells", "unknowns", "deflection over Timoshenko's", "s"], rows)


# --- Hertz's ball ---


BALL = {"young": 1e9, "poisson": 0.3, "radius": 1.0, "reach": 0.002}  # contact radius over the ball's


def ball_mesh(order, n):
    """Returns a quarter of the lower half of a ball, with its lowest point at the origin; n cells within 1.4 contact
    radii."""
    radius, size = BALL["radius"], 1.4 * BALL["reach"] * BALL["radius"]
    fan = Fan(3, n, growing(n, 2 * radius / size))
    return mesh_of(fan, lambda p: onto_ball([size * x for x in p], radius), order)


def ball_scene(mesh, file, formulation, dhat, depth, segments):
    gap, radius, tiny = 1.01 * dhat, BALL["radius"], 1e-12 * BALL["radius"]
    # The equator moves as a whole; the planes of symmetry slide.
    motions = [{"region": {"nodes": mesh.nodes(lambda x, y, z: x < tiny)}, "components": [True, False, False]},
               {"region": {"nodes": mesh.nodes(lambda x, y, z: z < tiny)}, "components": [False, False, True]},
               {"region": {"nodes": mesh.nodes(lambda x, y, z: y > radius - 1e-9)},
                "displacement": ["0", f"-{depth + gap!r} * t", "0"]}]
    body = {"name": "ball", "mesh": file.name, "units": "m", "self_contact": False, "motions": motions,
            "collision_surface": {"segments": segments}, "transform": {"translation": [0, gap, 0]},
            "material": {"model": "linear_elasticity", "youngs_modulus": BALL["young"],
                         "poisson_ratio": BALL["poisson"]}}
    return {"time": {"integrator": "quasi_static", "step": 0.25, "duration": 1}, "gravity": [0, 0, 0],
            "contact": {"dhat": dhat, "dhat_is_absolute": True, "formulation": formulation},
            "solver": {"force_tolerance": 1e-4},
            "bodies": [body], "half_spaces": [{}],
            "output": {"fields": ["contact_pressure", "normal_force"],
                       "probes": [{"name": "press", "kind": "contact", "bodies": ["ball", "half_spaces[0]"]}]}}


def hertz(options):
    """Compares the force with theory's at the same depth, counted from the plane at the remaining gap."""
    radius, modulus = BALL["radius"], BALL["young"] / (1 - BALL["poisson"] ** 2)
    depth = BALL["reach"] ** 2 * radius
    rows = []
    for formulation in ("ipc", "convergent"):
        for order, n, segments in ((1, 3, 1), (1, 6, 1), (1, 12, 1), (2, 2, 2), (2, 2, 4), (2, 3, 2), (2, 3, 4),
                                   (2, 4, 2), (2, 4, 4)):
            name = f"hertz_{formulation}_{order}_{n}_{segments}"
            mesh, file = ball_mesh(order, n), options.results / f"{name}.msh"
            write_gmsh(mesh, file)
            result = simulate(options, name, ball_scene(mesh, file, formulation, 0.01 * depth, depth, segments))
            force = 4 * result.probes[-1]["press.normal.y [N]"]
            reached = depth + result.steps[-1]["min_distance"]
            theory = 4 / 3 * modulus * math.sqrt(radius) * reached ** 1.5
            rows.append([formulation, str(order), str(n), str(segments), str(3 * len(mesh.points)),
                         f"{100 * (force / theory - 1):+.2f} %", str(result.steps[-1]["contacts"]),
                         str(sum(s["newton_iterations"] for s in result.steps)), f"{result.seconds:.2f}"])
            print("  ".join(rows[-1]), flush=True)
    return table(["formulation", "order", "cells in 1.4 contact radii", "flat pieces an edge", "unknowns",
                  "force over Hertz's", "contacts", "Newton iterations", "s"], rows)


# --- two bodies, in both programs ---


POISSON = 0.3  # for steel and aluminium
PENALTY = 1e7  # [MPa/mm] in CalculiX


def sides(mesh):
    """Returns (cell, side) of the boundary, both from 0, with its nodes; sides are numbered as in CalculiX."""
    corners = {2: ((0, 1), (1, 2), (2, 0)), 3: ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))}[mesh.dim]
    owners = {}
    for e, cell in enumerate(mesh.cells):
        for s, side in enumerate(corners):
            owners.setdefault(tuple(sorted(cell[c] for c in side)), []).append((e, s))
    found = {}
    for owner in (o[0] for o in owners.values() if len(o) == 1):
        cell, side = mesh.cells[owner[0]], corners[owner[1]]
        middles = [cell[mesh.dim + 1 + k] for k, edge in enumerate(EDGES[mesh.dim])
                   if mesh.order == 2 and set(edge) <= set(side)]
        found[owner] = [cell[c] for c in side] + middles
    return found


@dataclass
class Part:
    """A body of a problem that both programs solve."""
    name: str
    mesh: Mesh
    young: float  # [Pa]
    held: list  # (component, nodes)
    faces: Callable = None  # points of nodes that can meet the other body


def deck(parts, friction, loads, approach, plane="CPE6"):
    """Returns the input of CalculiX in mm, N, MPa: `parts[0]` is loaded and the slave. `loads`: its nodes, and lines of
    loads.

    Without contact nothing holds that part: a first step moves the loaded nodes down by `approach`, a second one loads
    them.
    """
    dim = parts[0].mesh.dim
    kind = plane if dim == 2 else "C3D10"
    lines, held, num_nodes, num_cells = [], [], 0, 0
    for part in parts:
        name = part.name.upper()
        lines += [f"*NODE, NSET=N{name}"]
        lines += [f"{num_nodes + i + 1}, " + ", ".join(f"{1e3 * x:.12g}" for x in p) + ", 0." * (3 - dim)
                  for i, p in enumerate(part.mesh.points)]
        lines += [f"*ELEMENT, TYPE={kind}, ELSET=E{name}"]
        lines += [f"{num_cells + e + 1}, " + ", ".join(str(num_nodes + v + 1) for v in c)
                  for e, c in enumerate(part.mesh.cells)]
        meeting = set(part.mesh.nodes(part.faces))
        lines += [f"*SURFACE, NAME=S{name}, TYPE=ELEMENT"]
        lines += [f"{num_cells + e + 1}, S{s + 1}" for (e, s), nodes in sides(part.mesh).items()
                  if meeting.issuperset(nodes)]
        lines += [f"*MATERIAL, NAME=M{name}", "*ELASTIC", f"{part.young / 1e6!r}, {POISSON!r}",
                  f"*SOLID SECTION, ELSET=E{name}, MATERIAL=M{name}"] + ["1."] * (kind == "CPE6")
        held += [f"{num_nodes + i + 1}, {component + 1}" for component, nodes in part.held for i in nodes]
        num_nodes, num_cells = num_nodes + len(part.mesh.points), num_cells + len(part.mesh.cells)
    names = [f"S{part.name.upper()}" for part in parts]
    lines += ["*SURFACE INTERACTION, NAME=HARD", "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR", repr(PENALTY)]
    lines += ["*FRICTION", f"{friction!r}, {PENALTY / 100!r}"] if friction else []
    lines += ["*CONTACT PAIR, INTERACTION=HARD, TYPE=SURFACE TO SURFACE", ", ".join(names)]
    lines += ["*STEP, INC=1000", "*STATIC", "0.2, 1., 1e-6, 0.5", "*BOUNDARY", *held]
    lines += [f"{i + 1}, 2, 2, {-1e3 * approach!r}" for i in loads[0]] + ["*END STEP"]
    lines += ["*STEP, INC=1000", "*STATIC", "0.2, 1., 1e-6, 0.2", "*BOUNDARY, OP=NEW", *held]
    lines += [*loads[1], "*NODE FILE, FREQUENCY=1000", "U", "*CONTACT FILE, FREQUENCY=1000", "CSTR", "*END STEP"]
    return "\n".join(lines) + "\n"


def scene_of(parts, files, friction, load, dhat, formulation, pieces):
    """Returns a scene with bodies as `parts`, the first so close above the other that it rests on the barrier; its
    load grows with time."""
    bodies = []
    for part, file in zip(parts, files):
        motions = [{"region": {"nodes": nodes}, "components": [component == d for d in range(3)]}
                   for component, nodes in part.held]
        bodies.append({"name": part.name, "mesh": file.name, "units": "m", "self_contact": False, "motions": motions,
                       "collision_surface": {"segments": pieces},
                       "material": {"model": "linear_elasticity", "youngs_modulus": part.young,
                                    "poisson_ratio": POISSON}})
    bodies[0] |= {"loads": [load], "transform": {"translation": [0, 0.5 * dhat, 0]}}
    return {"dimension": parts[0].mesh.dim, "time": {"integrator": "quasi_static", "step": 0.2, "duration": 1},
            "gravity": [0, 0, 0], "contact": {"dhat": dhat, "dhat_is_absolute": True, "formulation": formulation},
            "friction": {"coefficient": friction, "stick": 1e-7}, "bodies": bodies,
            "output": {"fields": ["contact_pressure", "normal_force", "friction_force", "displacement"]}}


def run_calculix(options, name, text):
    """Runs CalculiX; returns what `read_frd` reads, and the seconds."""
    folder = options.results / name
    folder.mkdir(exist_ok=True)
    (folder / "deck.inp").write_text(text)
    start = time.time()
    process = subprocess.run([options.calculix, "-i", "deck"], cwd=folder, capture_output=True, text=True, check=False,
                             env=os.environ | {"OMP_NUM_THREADS": "1"})
    seconds = time.time() - start
    if process.returncode != 0 or "Job finished" not in process.stdout:
        raise RuntimeError(f"{name}: CalculiX: {process.stdout.strip()[-400:]}")
    return read_frd(folder / "deck.frd"), seconds


# --- NAFEMS 1: roller ---


# [m], half of the width for the block; [Pa]; [N] on half of a slice one metre deep.
ROLLER = {"radius": 0.05, "width": 0.1, "height": 0.2, "steel": 210e9, "aluminium": 70e9, "force": 17.5e6}
ROLLER_REACH = math.sqrt(8 * ROLLER["force"] * ROLLER["radius"] / math.pi * (1 - POISSON ** 2) *
                         (1 / ROLLER["steel"] + 1 / ROLLER["aluminium"]))
ROLLER_DHAT = 2e-6  # [m], for an indentation of 0.8 mm
ROLLER_PRESSURE = 4 * ROLLER["force"] / (math.pi * ROLLER_REACH)


def joined(first, second):
    """Joins two meshes that have some nodes in common."""
    numbers = {tuple(round(x, 9) for x in p): i for i, p in enumerate(first.points)}
    points, renamed = list(first.points), []
    for p in second.points:
        key = tuple(round(x, 9) for x in p)
        if key not in numbers:
            numbers[key] = len(points)
            points.append(p)
        renamed.append(numbers[key])
    return Mesh(points, first.cells + [tuple(renamed[v] for v in c) for c in second.cells], first.dim, first.order)


def roller_parts(order, n):
    """Returns half of each body; cells are 1.4 half widths of contact over n, those of the block smaller, so that
    none match."""
    radius, width = ROLLER["radius"], ROLLER["width"]
    tiny = 1e-9

    def half(size, is_top):
        fan = Fan(2, n, growing(n, 2 * radius / size))

        def place(p):
            x, y = onto_ball([size * x for x in p], radius)
            return (x, 2 * radius - y) if is_top else (x, y)
        return mesh_of(fan, place, order)

    roller = joined(half(1.4 * ROLLER_REACH, False), half(1.4 * ROLLER_REACH, True))
    size = 1.3 * ROLLER_REACH
    fan = Fan(2, n, growing(n, width / size), is_round=False)

    def in_block(p):
        x, y = (size * x for x in p)
        return (x, -y * (1 + (ROLLER["height"] / width - 1) * max(0, max(x, y) / width - 0.3) / 0.7))
    block = mesh_of(fan, in_block, order)
    bottom = block.nodes(lambda x, y: y < -ROLLER["height"] + tiny)
    return [Part("roller", roller, ROLLER["steel"], [(0, roller.nodes(lambda x, y: x < tiny))],
                 lambda x, y: abs(math.hypot(x, y - radius) - radius) < tiny and y < 0.1 * radius),
            Part("block", block, ROLLER["aluminium"],
                 [(0, block.nodes(lambda x, y: x < tiny)), (0, bottom), (1, bottom)],
                 lambda x, y: y > -tiny and x < 3 * ROLLER_REACH)]


def roller_top(mesh):
    """Returns the nodes of the faces that the force acts on, about as wide as the contact."""
    radius, reach = ROLLER["radius"], 1.3 * ROLLER_REACH
    return set(mesh.nodes(lambda x, y: x < reach and y > radius and abs(math.hypot(x, y - radius) - radius) < 1e-9))


def roller_loads(mesh):
    """Returns the force at the nodes, for CalculiX."""
    top, shares = roller_top(mesh), {}
    for nodes in sides(mesh).values():
        if top.issuperset(nodes):
            length = math.dist(mesh.points[nodes[0]], mesh.points[nodes[1]])
            for node, weight in zip(nodes, (1 / 6, 1 / 6, 2 / 3) if mesh.order == 2 else (0.5, 0.5)):
                shares[node] = shares.get(node, 0) + weight * length
    whole = math.fsum(shares.values())
    scale = -1e-3 * ROLLER["force"] / whole
    return list(shares), ["*CLOAD", *(f"{i + 1}, 2, {scale * share!r}" for i, share in shares.items())]


def roller_contacts(folder):
    """Returns (x at the start, normal force, pressure) of the vertices on the block's upper side, by x."""
    frames = sorted((folder / "frames").glob("*.vtu"))
    first, last = read_arrays(frames[0]), read_arrays(frames[-1])
    points = [first["Points"][3 * i:3 * i + 2] for i in range(len(first["Points"]) // 3)]
    return sorted((p[0], -last["normal_force"][3 * i + 1], last["contact_pressure"][i]) for i, p in enumerate(points)
                  if abs(p[1]) < 1e-12 and p[0] < 3 * ROLLER_REACH)


def roller_contacts_of_calculix(mesh, faces, pressures):
    """Returns the same for the roller's nodes; forces are integrals of the pressures."""
    meeting, forces = set(mesh.nodes(faces)), {}
    for nodes in sides(mesh).values():
        if meeting.issuperset(nodes):
            length = abs(mesh.points[nodes[0]][0] - mesh.points[nodes[1]][0])
            for node, weight in zip(nodes, (1 / 6, 1 / 6, 2 / 3) if mesh.order == 2 else (0.5, 0.5)):
                forces[node] = forces.get(node, 0) + 1e6 * weight * length * pressures[node][3]
    return sorted((mesh.points[node][0], force, 1e6 * pressures[node][3]) for node, force in forces.items())


def roller_row(contacts, pieces):
    """Returns the half width that has Hertz's second moment, the largest pressure over theory's, and the error of
    pressures within 0.8 half widths: at single vertices, and of the means over elements' edges of so many pieces.
    """
    force = math.fsum(f for _, f, _ in contacts)
    reach = 2 * math.sqrt(math.fsum(f * x * x for x, f, _ in contacts) / force)
    single = [(x, p) for x, _, p in contacts]
    # A vertex between two edges gives half of its force to each; the one on the symmetry line belongs to one edge only.
    shares = [f if i == 0 else f / 2 for i, (_, f, _) in enumerate(contacts)]
    means = []
    for i in range(0, len(contacts) - pieces, pieces):
        low, high = contacts[i][0], contacts[i + pieces][0]
        inner = math.fsum(f for _, f, _ in contacts[i + 1:i + pieces])
        means.append(((low + high) / 2, (shares[i] + inner + shares[i + pieces]) / (high - low)))
    row = [f"{1e3 * reach:.3f} ({100 * (reach / ROLLER_REACH - 1):+.1f} %)"]
    for pressures in (single, means):
        largest = max(p for _, p in pressures)
        off = [p / ROLLER_PRESSURE - math.sqrt(1 - (x / ROLLER_REACH) ** 2) for x, p in pressures
               if x < 0.8 * ROLLER_REACH]
        row += [f"{largest / 1e6:.0f} ({100 * (largest / ROLLER_PRESSURE - 1):+.1f} %)",
                f"{100 * math.sqrt(math.fsum(d * d for d in off) / len(off)):.1f} %"]
    return row


def nafems1(options):
    """NAFEMS's first advanced contact benchmark [Konter 2006]: a steel roller on an aluminium block, plane strain."""
    rows = [["Hertz", "0", *[""] * 4, f"{1e3 * ROLLER_REACH:.3f}", f"{ROLLER_PRESSURE / 1e6:.1f}", *[""] * 5]]
    for friction in (0.0, 0.1):
        for order, n, pieces in ((1, 8, 1), (1, 16, 1), (1, 32, 1), (2, 4, 2), (2, 8, 2), (2, 8, 4), (2, 16, 2)):
            parts = roller_parts(order, n)
            unknowns = str(2 * sum(len(part.mesh.points) for part in parts))
            name = f"nafems1_{friction:g}_{order}_{n}"
            files = [options.results / f"{name}_{part.name}.msh" for part in parts]
            for part, file in zip(parts, files):
                write_gmsh(part.mesh, file)
            load = {"kind": "force", "region": {"nodes": sorted(roller_top(parts[0].mesh))},
                    "expression": ["0", f"-{ROLLER['force']} * t", "0"]}
            start = [f"{friction:g}", str(order), str(n), str(pieces), unknowns]
            for formulation in ("ipc", "convergent"):
                scene = scene_of(parts, files, friction, load, ROLLER_DHAT, formulation, pieces)
                result = simulate(options, f"{name}_{pieces}_{formulation}", scene)
                rows.append([f"Clearance, {formulation}", *start, *roller_row(roller_contacts(result.folder), pieces),
                             str(sum(s["newton_iterations"] for s in result.steps)), f"{result.seconds:.2f}"])
                print("  ".join(rows[-1]), flush=True)
            if order == 1 or n > 8 or pieces > order:
                continue
            text = deck(parts, friction, roller_loads(parts[0].mesh), 3e-4)
            found, seconds = run_calculix(options, f"{name}_peer", text)
            contacts = roller_contacts_of_calculix(parts[0].mesh, parts[0].faces, found["CONTACT"])
            rows.append(["CalculiX", *start, *roller_row(contacts, order), "", f"{seconds:.2f}"])
            print("  ".join(rows[-1]), flush=True)
    return table(["program", "friction", "order", "cells in 1.4 half widths", "flat pieces an edge", "unknowns",
                  "half width, mm", "largest pressure, MPa", "pressures off by", "largest mean of an edge, MPa",
                  "means off by", "Newton iterations", "s"], rows)


# --- NAFEMS 2: punch ---


PUNCH = {"radius": 0.05, "height": 0.1, "fillet": 0.01, "base_radius": 0.1, "base_height": 0.2, "pressure": 100e6,
         "inner": 0.01}  # [m], [Pa]; half of the innermost cells' square
PUNCH_DHAT = 1e-6  # [m], for displacements of 0.13 mm
PUNCH_ARC = PUNCH["fillet"] * math.pi / 4  # half of the fillet, from the flat face and from the side
PUNCH_RADII = (0.02, 0.03, 0.035, 0.038, 0.04)  # radii of rings of cells, up to the end of the face
PUNCH_LEVELS = (0.001, 0.003, 0.007, 0.013, 0.022, 0.035, 0.055)  # heights of cells above and below the contact
PUNCH_PLACES = (0.01, 0.02, 0.04, 0.06)  # [m] from the axis, where displacements are compared


def split(places, parts):
    """Splits every interval into so many parts."""
    return [a + (b - a) * i / parts for a, b in zip(places, places[1:]) for i in range(parts)] + [places[-1]]


def in_punch(s, t):
    """Returns radius and height of the point at s along face and lower half of the fillet, and t along its upper half
    and the side.

    Uses transfinite interpolation between axis, top, face and side, with the corner in the middle of the fillet.
    """
    radius, height, fillet = PUNCH["radius"], PUNCH["height"], PUNCH["fillet"]
    flat = radius - fillet
    whole_s, whole_t = flat + PUNCH_ARC, height - fillet + PUNCH_ARC

    def face(s):
        angle = max(0, s - flat) / fillet
        return (min(s, flat) + fillet * math.sin(angle), fillet * (1 - math.cos(angle)))

    def side(t):
        angle = math.pi / 4 + min(t, PUNCH_ARC) / fillet
        return (flat + fillet * math.sin(angle), fillet * (1 - math.cos(angle)) + max(0, t - PUNCH_ARC))

    def top(s):
        return (s if s < flat else flat + (s - flat) * fillet / PUNCH_ARC, height)

    u, v = s / whole_s, t / whole_t
    axis = (0, v * height)
    corner = face(whole_s)
    # Face and side have one tangent in the corner, so that points near it move inwards.
    near_s, near_t = whole_s - s, t
    inwards = 0.0
    if near_s > 0 and near_t > 0:
        inwards = near_s * near_t / (near_s + near_t) * max(0, 1 - (near_s + near_t) / (4 * PUNCH_ARC)) ** 2
    return tuple((-inwards, inwards)[d] + (1 - v) * face(s)[d] + v * top(s)[d] + (1 - u) * axis[d] + u * side(t)[d]
                 - u * (1 - v) * corner[d] - (1 - u) * v * (0, height)[d] - u * v * (radius, height)[d] for d in (0, 1))


def punch_parts(order, n, fineness, dim):
    """Returns a quarter of punch and base, or (2D) the half plane through the axis."""
    inner, tiny = PUNCH["inner"], 1e-9
    fillet = [PUNCH_RADII[-1] + share * PUNCH_ARC for share in (0.3, 0.6, 0.85, 1)]
    top = PUNCH["height"] - PUNCH["fillet"] + PUNCH_ARC

    def around(radii):
        radii = split((inner, *radii), fineness)
        if dim == 2:
            # CalculiX has no contact on the face that ends on the axis.
            return Line([0, 0.05 * inner, *split((0, inner), n * fineness)[1:], *radii[1:]])
        return Fan(2, n, [r / inner for r in radii[1:]])

    def round_about(p, profile):
        if dim == 2:
            return profile(*p)
        x, z, level = inner * p[0], inner * p[1], p[2]
        s = math.hypot(x, z)
        r, y = profile(s, level)
        return (x * r / s, y, z * r / s) if s > 0 else (0.0, y, 0.0)

    # Levels go from the top down, so that a diagonal ends in the middle of the fillet, where cells have no corner.
    levels = split((0, *PUNCH_LEVELS, top), fineness)[::-1]
    punch = mesh_of(Column(around((*PUNCH_RADII, *fillet)), Line(levels)), lambda p: round_about(p, in_punch), order)
    depths = split((0, *PUNCH_LEVELS, 0.085, 0.13, PUNCH["base_height"]), fineness)
    base = mesh_of(Column(around((*PUNCH_RADII, 0.042, 0.046, 0.06, 0.08, PUNCH["base_radius"])), Line(depths)),
                   lambda p: round_about(p, lambda r, depth: (r, -depth)), order)

    def held(mesh):
        return [(d, mesh.nodes(lambda *p, d=d: p[d] < tiny)) for d in range(0, dim, 2)]
    bottom = base.nodes(lambda x, y, *_: y < -PUNCH["base_height"] + tiny)
    return [Part("punch", punch, 210e9, held(punch), lambda x, y, *_: y < 0.3 * PUNCH["fillet"]),
            Part("base", base, 70e9, held(base) + [(d, bottom) for d in range(dim)],
                 lambda x, y, z=0.0: y > -tiny and math.hypot(x, z) < 0.061)]


def punch_top(mesh):
    return mesh.nodes(lambda x, y, *_: y > PUNCH["height"] - 1e-9)


def punch_deck(parts, friction, plane="CPE6"):
    mesh = parts[0].mesh
    top = set(punch_top(mesh))
    pressed = [f"{e + 1}, P{s + 1}, {PUNCH['pressure'] / 1e6!r}" for (e, s), nodes in sides(mesh).items()
               if top.issuperset(nodes)]
    return deck(parts, friction, (sorted(top), ["*DLOAD", *pressed]), 5e-5, plane)


def punch_nodes(mesh):
    """Returns nodes of the base at PUNCH_PLACES on its top."""
    return [min(range(len(mesh.points)), key=lambda i: math.dist(mesh.points[i], (r, *[0.0] * (mesh.dim - 1))))
            for r in PUNCH_PLACES]


def punch_row(displacements):
    """Returns displacements [mm] inwards or outwards, and down, at PUNCH_PLACES."""
    return [f"{1e3 * d[0]:+.2f}" for d in displacements[1:]] + [f"{1e3 * d[1]:.2f}" for d in displacements]


def nafems2(options):
    """NAFEMS's second advanced contact benchmark [Konter 2006]: a steel punch with a rounded edge on aluminium."""
    rows = []

    def add(row):
        rows.append(row)
        print("  ".join(row), flush=True)

    for friction in (0.0, 0.1):
        for fineness in (2, 4):
            parts = punch_parts(2, 2, fineness, 2)
            found, seconds = run_calculix(options, f"nafems2_{friction:g}_{fineness}_axisymmetric",
                                          punch_deck(parts, friction, "CAX6"))
            first, unknowns = len(parts[0].mesh.points), 2 * sum(len(p.mesh.points) for p in parts)
            add(["CalculiX, axisymmetric", f"{friction:g}", "2", f"{fineness}", str(unknowns),
                 *punch_row([found["DISP"][first + i] for i in punch_nodes(parts[1].mesh)]), "", f"{seconds:.2f}"])
        for order, n, fineness in ((1, 4, 2), (2, 2, 1), (2, 3, 1)):
            parts = punch_parts(order, n, fineness, 3)
            unknowns = 3 * sum(len(p.mesh.points) for p in parts)
            name = f"nafems2_{friction:g}_{order}_{n}_{fineness}"
            start = [f"{friction:g}", str(order), f"{n}, {fineness}", str(unknowns)]
            files = [options.results / f"{name}_{part.name}.msh" for part in parts]
            for part, file in zip(parts, files):
                write_gmsh(part.mesh, file)
            load = {"kind": "traction", "region": {"nodes": punch_top(parts[0].mesh)},
                    "expression": ["0", f"-{PUNCH['pressure']} * t", "0"]}
            for formulation in ("ipc", "convergent"):
                scene = scene_of(parts, files, friction, load, PUNCH_DHAT, formulation, order)
                result = simulate(options, f"{name}_{formulation}", scene)
                frame = read_arrays(sorted((result.folder / "frames").glob("*.vtu"))[-1])["displacement"]
                first = len(parts[0].mesh.points)
                moved = [[1e3 * frame[3 * (first + i) + d] for d in range(3)] for i in punch_nodes(parts[1].mesh)]
                add([f"Clearance, {formulation}", *start, *punch_row(moved),
                     str(sum(s["newton_iterations"] for s in result.steps)), f"{result.seconds:.2f}"])
            if order == 2 and n == 2:
                found, seconds = run_calculix(options, f"{name}_peer", punch_deck(parts, friction))
                add(["CalculiX", *start, *punch_row([found["DISP"][first + i] for i in punch_nodes(parts[1].mesh)]), "",
                     f"{seconds:.2f}"])
    return table(["program", "friction", "order", "cells", "unknowns",
                  *(f"outwards at {1e3 * r:.0f} mm, um" for r in PUNCH_PLACES[1:]),
                  *(f"up at {1e3 * r:.0f} mm, um" for r in PUNCH_PLACES), "Newton iterations", "s"], rows)


# --- report ---


PARTS = {"cantilever": cantilever, "hertz": hertz, "nafems1": nafems1, "nafems2": nafems2}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("build/native/bin/clearance"))
    parser.add_argument("--calculix", default="ccx", help="program (default ccx)")
    parser.add_argument("--only", action="append", metavar="NAME", choices=list(PARTS),
                        help=f"only this part, may be repeated: {', '.join(PARTS)}")
    parser.add_argument("--results", type=Path, metavar="DIR", help="keep scenes, meshes and results in this folder")
    return parser.parse_args()


def main():
    options = parse()
    if not options.program.exists() or not shutil.which(options.calculix):
        print(f"no program at {options.program}, or no {options.calculix}")
        return 1
    busy = busy_percent()
    with tempfile.TemporaryDirectory(prefix="high-order-") as temporary:
        options.results = options.results or Path(temporary)
        options.results.mkdir(parents=True, exist_ok=True)
        texts = [f"{name}:\n\n{part(options)}" for name, part in PARTS.items()
                 if not options.only or name in options.only]
    print(f"\n{machine()}, {busy:.0f} % busy at the start; one thread each\n\n" + "\n".join(texts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
