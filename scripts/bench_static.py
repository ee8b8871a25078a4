#!/usr/bin/env python3
"""Static contact beside CalculiX: `./dev bench static`.

Three problems on the same linear tetrahedra (C3D4) in both programs, with the same law (St. Venant-Kirchhoff, which
CalculiX uses for *ELASTIC at large deformations), without friction, driven by displacements of rigid parts:

  block   a cube on its held base, squashed by a plate
  sphere  a ball pressed onto a plate (Hertz)
  clip    a cantilever pushed down and forwards over a round pin, which bends it

Prints the force over the displacement from both, how far they differ as dhat shrinks, and the seconds of both programs
with one thread. CalculiX: surface-to-surface penalty contact. The goal is 2 % as dhat shrinks.
"""

import argparse
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

from bench_common import ROOT, busy_percent, machine, table, write_between_markers
from physics import vectors as vec
from physics.results import Run

DHATS = (1e-3, 3e-4, 1e-4)  # relative to the size
YOUNG, POISSON = 1e6, 0.3
PENALTY = 1e4  # Young's moduli per size: pressure over penetration in CalculiX
SIZE = 0.1  # [m]


INTRODUCTION = """## Static contact beside CalculiX

`./dev bench static --write` writes this section. It was run on {machine}, with processors {busy:.0f} % busy with other work
at the start, and one thread each.

Both programs use the same linear tetrahedra and the same law (St. Venant-Kirchhoff, 1 MPa, Poisson's ratio 0.3) in a
body of 0.1 m, without friction. *Block* is a cube on its held base under a plate. *Sphere* is a ball pressed onto a
plate. *Clip* is a cantilever pushed down and forwards over a round pin, with sixteen increments of CalculiX a step.
CalculiX uses surface-to-surface penalty contact of 10,000 Young's moduli a size, with rigid parts finer than the body.
Displacements are in sizes of the body. The numbers in brackets are the differences of Clearance's forces from those of
CalculiX. The sphere first touches with single vertices, over which CalculiX spreads a pressure.

"""


@dataclass
class Problem:
    """A body, a rigid part, and the displacement of one of them, whose other end is held."""
    name: str
    body: dict  # generator and transform
    rigid: Callable  # for a fineness: vertices [m] and prisms of 6 or 8 of them; touches the body at the start
    held: list  # box of the body's nodes that are held or moved, as fractions of the body
    way: tuple  # [m] total displacement of the moving part
    apart: tuple  # direction in which the rigid part starts at a distance of a little more than dhat
    fineness: int  # fineness of the rigid part in CalculiX
    cuts: int  # increments of CalculiX per step: it pairs faces, with their normals, at the start of each
    body_moves: bool = False
    steps: int = 5


def brick(low, high, cells=1):
    """Returns a box as prisms over the squares of its lower face."""
    def corner(i, level, k):
        return tuple(low[d] + s * (high[d] - low[d]) for d, s in enumerate((i / cells, level, k / cells)))

    def number(i, level, k):
        return (level * (cells + 1) + i) * (cells + 1) + k

    grid = range(cells + 1)
    vertices = [corner(i, level, k) for level in (0, 1) for i in grid for k in grid]
    prisms = []
    for i in range(cells):
        for k in range(cells):
            square = ((i, k), (i, k + 1), (i + 1, k + 1), (i + 1, k))
            prisms.append(tuple(number(a, level, b) for level in (0, 1) for a, b in square))
    return vertices, prisms


def pin(center, radius, width, sides, layers=1):
    """Returns a cylinder along z as wedges around its axis."""
    def ring(layer):
        z = width * (layer / layers - 0.5)
        angles = [2 * math.pi * i / sides for i in range(sides)]
        return [(*center, z)] + [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a), z)
                                 for a in angles]

    vertices = [v for layer in range(layers + 1) for v in ring(layer)]
    wedges = []
    for layer in range(layers):
        first = layer * (sides + 1)
        for i in range(sides):
            triangle = (first, first + 1 + i, first + 1 + (i + 1) % sides)
            wedges.append((*triangle, *(v + sides + 1 for v in triangle)))
    return vertices, wedges


def problems(resolution):
    n, s, thick, radius = resolution, SIZE, SIZE / 8, SIZE / 10
    cube = {"kind": "box", "size": [s, s, s], "resolution": [n, n, n]}
    ball = {"kind": "sphere", "size": [s / 2], "resolution": [n]}
    beam = {"kind": "box", "size": [s, thick, thick], "resolution": [2 * n, n // 4, n // 4]}
    return [
        Problem("block", {"generator": cube},
                lambda fine: brick((-0.6 * s, s / 2, -0.6 * s), (0.6 * s, s, 0.6 * s), fine),
                held=[[-1, -1, -1], [2, 0.001, 2]], way=(0, -0.05 * s, 0), apart=(0, 1, 0), fineness=8, cuts=1),
        Problem("sphere", {"generator": ball},
                lambda fine: brick((-0.2 * s, -s, -0.2 * s), (0.2 * s, -s / 2, 0.2 * s), fine),
                held=[[-1, 0.7, -1], [2, 2, 2]], way=(0, -0.03 * s, 0), apart=(0, -1, 0), fineness=24, cuts=1,
                body_moves=True),
        Problem("clip", {"generator": beam},
                lambda fine: pin((0.3 * s, -thick / 2 - radius), radius, 2 * thick, 96, fine),
                held=[[-1, -1, -1], [0.001, 2, 2]], way=(0.1 * s, -0.1 * s, 0), apart=(0, -1, 0), fineness=12, cuts=16,
                body_moves=True),
    ]


def in_region(problem, points):
    """Returns the numbers of the nodes in the box `held`, with `frame: body`."""
    low = [min(p[d] for p in points) for d in range(3)]
    high = [max(p[d] for p in points) for d in range(3)]
    a, b = problem.held
    return [i for i, p in enumerate(points)
            if all(a[d] <= (p[d] - low[d]) / (high[d] - low[d]) <= b[d] for d in range(3))]


# --- Clearance ---


def faces_of(prism):
    """Returns quadrilaterals and triangles around a prism, seen from outside."""
    k = len(prism) // 2
    low, high = prism[:k], prism[k:]
    return [tuple(reversed(low)), tuple(high)] + [(low[i], low[(i + 1) % k], high[(i + 1) % k], high[i])
                                                  for i in range(k)]


def triangles_of(prisms):
    """Returns the outer faces of prisms, in triangles."""
    faces = [face for prism in prisms for face in faces_of(prism)]
    count = {}
    for face in faces:
        count[tuple(sorted(face))] = count.get(tuple(sorted(face)), 0) + 1
    outer = [face for face in faces if count[tuple(sorted(face))] == 1]
    return [(f[0], f[i], f[i + 1]) for f in outer for i in range(1, len(f) - 1)]


def scene(problem, dhat):
    """Returns the scene; its moving part also covers the small distance to touching in its first step."""
    gap = 1.01 * dhat
    shift = [gap * d for d in problem.apart]
    vertices, prisms = problem.rigid(1)
    back = [(1 if problem.body_moves else -1) * x for x in shift]
    motion = {"displacement": [f"{b!r} + {w!r} * t" for b, w in zip(back, problem.way)]}
    held = {"region": {"box": problem.held, "frame": "body"}}
    body = problem.body | {
        "name": "body", "self_contact": False, "motions": [held | motion if problem.body_moves else held],
        "material": {"model": "st_venant_kirchhoff", "youngs_modulus": YOUNG, "poisson_ratio": POISSON}}
    rigid = {"name": "rigid", "kind": "obstacle",
             "geometry": {"vertices": [[x + d for x, d in zip(v, shift)] for v in vertices],
                          "triangles": triangles_of(prisms)},
             "motions": [] if problem.body_moves else [motion]}
    return {"time": {"integrator": "quasi_static", "step": 1 / problem.steps, "duration": 1}, "gravity": [0, 0, 0],
            "contact": {"dhat": dhat, "dhat_is_absolute": True}, "bodies": [body, rigid],
            "output": {"contact_forces": True}}


def run_clearance(options, problem, dhat, folder):
    """Returns the run and its seconds."""
    description = scene(problem, dhat)
    path = folder / "scene.json"
    path.write_text(json.dumps(description))
    start = time.time()
    command = [str(options.program), "run", str(path), "-o", str(folder / "out"), "--threads", "1", "-q"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.time() - start
    if process.returncode != 0:
        raise RuntimeError(f"{problem.name}: exit {process.returncode}: {process.stderr.strip()}")
    return Run(folder / "out", description), seconds


def forces_of(run):
    """Returns the forces on the body [N] at the end of every step."""
    return [math.hypot(*(math.fsum(f[d] for f in run.forces("body", i)) for d in range(3)))
            for i in range(1, len(run.files))]


# --- CalculiX ---


def boundary_faces(points, tetrahedra):
    """Returns (element, face) of CalculiX, from 1, of the surface, with its normal: S1 1-2-3, S2 1-4-2, S3 2-4-3, S4
    3-4-1."""
    owners = {}
    for e, t in enumerate(tetrahedra):
        for s, corners in enumerate(((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))):
            owners.setdefault(tuple(sorted(t[c] for c in corners)), []).append((e + 1, s + 1))
    faces = []
    for face, found in owners.items():
        if len(found) > 1:
            continue
        p, q, r = (points[v] for v in face)
        normal = vec.cross(vec.sub(q, p), vec.sub(r, p))
        inside = points[next(v for v in tetrahedra[found[0][0] - 1] if v not in face)]
        length = math.copysign(vec.norm(normal), vec.dot(normal, vec.sub(p, inside)))
        faces.append((found[0], vec.mul(1 / length, normal)))
    return faces


def listed(numbers, width=12):
    numbers = [str(n) for n in numbers]
    return "\n".join(", ".join(numbers[i:i + width]) for i in range(0, len(numbers), width))


def deck(problem, points, tetrahedra):
    """Returns the input of CalculiX. Nodes of the rigid part follow those of the body; all of them are prescribed."""
    vertices, prisms = problem.rigid(problem.fineness)
    first = len(points)
    held = in_region(problem, points)
    lines = ["*NODE, NSET=NALL"]
    lines += [f"{i + 1}, {p[0]!r}, {p[1]!r}, {p[2]!r}" for i, p in enumerate([*points, *vertices])]
    lines += ["*ELEMENT, TYPE=C3D4, ELSET=BODY"]
    lines += [f"{e + 1}, " + ", ".join(str(v + 1) for v in t) for e, t in enumerate(tetrahedra)]
    kind = "C3D6" if len(prisms[0]) == 6 else "C3D8"
    lines += [f"*ELEMENT, TYPE={kind}, ELSET=RIGID"]
    lines += [f"{len(tetrahedra) + e + 1}, " + ", ".join(str(first + v + 1) for v in p) for e, p in enumerate(prisms)]
    # Only faces that can meet are listed: with others in the list, CalculiX errs by any factor. Pressures live on the
    # slave faces, which are therefore those of the rigid part, finer than the body's.
    master = [f for f, normal in boundary_faces(points, tetrahedra) if vec.dot(normal, problem.apart) > 0.5]
    side = 4 if kind == "C3D6" else 1 if problem.apart[1] > 0 else 2
    lines += ["*SURFACE, NAME=MASTER, TYPE=ELEMENT", *(f"{e}, S{s}" for e, s in master)]
    lines += ["*SURFACE, NAME=SLAVE, TYPE=ELEMENT",
              *(f"{len(tetrahedra) + e + 1}, S{side}" for e in range(len(prisms)))]
    rigid_nodes = [first + v + 1 for v in range(len(vertices))]
    lines += ["*NSET, NSET=HELD", listed(i + 1 for i in held), "*NSET, NSET=PART", listed(rigid_nodes)]
    lines += ["*MATERIAL, NAME=ELASTIC", "*ELASTIC", f"{YOUNG!r}, {POISSON!r}",
              "*SOLID SECTION, ELSET=BODY, MATERIAL=ELASTIC", "*SOLID SECTION, ELSET=RIGID, MATERIAL=ELASTIC",
              "*SURFACE INTERACTION, NAME=HARD", "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR",
              f"{PENALTY * YOUNG / SIZE!r}",
              "*CONTACT PAIR, INTERACTION=HARD, TYPE=SURFACE TO SURFACE", "SLAVE, MASTER"]
    still, moved = ("PART", "HELD") if problem.body_moves else ("HELD", "PART")
    h = 1 / problem.steps
    lines += ["*TIME POINTS, NAME=ENDS", listed((f"{(i + 1) * h:.9g}" for i in range(problem.steps)), 8)]
    lines += [f"*STEP, NLGEOM, INC=10000", "*STATIC", f"{h / problem.cuts!r}, 1., 1e-6, {h / problem.cuts!r}",
              "*BOUNDARY", f"{still}, 1, 3", *(f"{moved}, {d + 1}, {d + 1}, {w!r}" for d, w in enumerate(problem.way)),
              "*NODE PRINT, NSET=PART, TOTALS=ONLY, TIME POINTS=ENDS", "RF", "*END STEP"]
    return "\n".join(lines) + "\n"


def run_calculix(options, problem, points, tetrahedra, folder):
    """Runs CalculiX; returns forces [N] at every time, and the seconds."""
    (folder / "deck.inp").write_text(deck(problem, points, tetrahedra))
    start = time.time()
    process = subprocess.run([options.calculix, "-i", "deck"], cwd=folder, capture_output=True, text=True, check=False,
                             env=os.environ | {"OMP_NUM_THREADS": "1"})
    seconds = time.time() - start
    data = folder / "deck.dat"
    blocks = data.read_text().split("total force")[1:] if data.exists() else []
    forces = {}
    for block in blocks:
        head, values = [line for line in block.splitlines() if line.strip()][:2]
        forces[round(float(head.split()[-1]), 9)] = math.hypot(*map(float, values.split()))
    if process.returncode != 0 or not any(abs(t - 1) < 1e-6 for t in forces):
        raise RuntimeError(f"{problem.name}: CalculiX: {process.stdout.strip()[-400:]}")
    return [forces[min(forces, key=lambda t: abs(t - (i + 1) / problem.steps))] for i in range(problem.steps)], seconds


# --- report ---


def compare(options, problem, folder):
    """Returns a row per displacement: force of CalculiX, then of Clearance by dhat; and the seconds of all."""
    by_dhat, seconds, run = [], [], None
    for share in DHATS:
        run_folder = folder / f"{problem.name}_{share:g}"
        run_folder.mkdir()
        run, wall = run_clearance(options, problem, share * SIZE, run_folder)
        if run.num_unconverged:
            print(f"{problem.name}, dhat {share:g}: {run.num_unconverged} steps did not converge")
        by_dhat.append(forces_of(run))
        seconds.append(wall)
    vertices = run.vertices["body"]
    number = {v: i for i, v in enumerate(vertices)}
    tetrahedra = [tuple(number[v] for v in t) for t in run.tetrahedra["body"]]
    peer_folder = folder / f"{problem.name}_peer"
    peer_folder.mkdir()
    peer, peer_seconds = run_calculix(options, problem, run.points("body", 0), tetrahedra, peer_folder)
    rows = []
    for i, wanted in enumerate(peer):
        way = math.hypot(*problem.way) * (i + 1) / problem.steps
        rows.append([problem.name if i == 0 else "", f"{way / SIZE:.3f}", f"{wanted:.4g}",
                     *(f"{forces[i]:.4g} ({100 * (forces[i] / wanted - 1):+.2f} %)" for forces in by_dhat)])
    worst = [max(abs(f / w - 1) for f, w in zip(forces, peer)) for forces in by_dhat]
    times = [problem.name, str(len(vertices)), str(len(tetrahedra)), f"{peer_seconds:.2f}",
             *(f"{s:.2f}" for s in seconds), *(f"{100 * w:.2f} %" for w in worst)]
    return rows, times


def report(options):
    dhats = [f"dhat {share:g}" for share in DHATS]
    rows, times = [], []
    with tempfile.TemporaryDirectory(prefix="static-") as temporary:
        for problem in problems(options.resolution):
            if options.only and problem.name not in options.only:
                continue
            more_rows, time_row = compare(options, problem, options.keep or Path(temporary))
            rows += more_rows
            times.append(time_row)
            print(f"{problem.name}: largest difference {', '.join(time_row[-3:])}", flush=True)
    return (table(["problem", "displacement", "CalculiX, N", *(f"{d}, N" for d in dhats)], rows) + "\n" +
            table(["problem", "vertices", "elements", "CalculiX, s", *(f"{d}, s" for d in dhats),
                   *(f"{d}, largest difference" for d in dhats)], times))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("build/native/bin/clearance"))
    parser.add_argument("--calculix", default="ccx", help="program (default ccx)")
    parser.add_argument("--only", action="append", metavar="NAME", choices=["block", "sphere", "clip"],
                        help="only this problem; may be repeated")
    parser.add_argument("--resolution", type=int, default=8, help="cells along the block (default 8)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep scenes, decks and results in this new folder")
    parser.add_argument("--write", action="store_true", help="store the tables in docs/benchmarks.md")
    return parser.parse_args()


def main():
    options = parse()
    if not options.program.exists() or not shutil.which(options.calculix):
        print(f"no program at {options.program}, or no {options.calculix}")
        return 1
    if options.keep:
        options.keep.mkdir(parents=True)
    busy = busy_percent()
    text = report(options)
    text = INTRODUCTION.format(machine=machine(), busy=busy) + text
    print("\n" + text)
    if options.write:
        write_between_markers(ROOT / "docs" / "benchmarks.md", "static", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
