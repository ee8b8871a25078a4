#!/usr/bin/env python3
"""Reads and runs the published scenes of PolyFEM and writes a table of the outcomes.

  scripts/polyfem_table.py                        # every scene below the five folders
  scripts/polyfem_table.py 2D/unit-tests erleben  # scenes whose name holds a word
  scripts/polyfem_table.py --check                # only read them: which load, and why others are refused
  scripts/polyfem_table.py --write                # only store the rows of all results in docs/published_polyfem_scenes.md

Scenes are looked for below CLEARANCE_PEER_DATA. Each runs 20 steps, or as many as its `tests` ask for if that is more
and the time limit allows; then `clearance verify` checks all frames exactly. If the file has reference norms of the
displacement and its gradient (L2), the table has Clearance's beside them. Results are kept in the folder `--folder`,
one line a scene, so that a run can be continued: scenes with a result are not run again.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from bench_common import ROOT, peer_data, read_stats, table, write_between_markers
from stiff_scenes_table import read_frame

FOLDERS = ["polyfem-data", "gcp", "remeshing", "high-order-ipc", "diff-ipc"]
PAGE = ROOT / "docs" / "published_polyfem_scenes.md"


def scene_names():
    files = [f for folder in FOLDERS for f in sorted((peer_data() / folder).rglob("*.json"))]
    return [str(f.relative_to(peer_data())) for f in files]


# --- reference norms ---

def merged(base, scene):
    for key, value in scene.items():
        if value is None:
            base.pop(key, None)
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            merged(base[key], value)
        else:
            base[key] = value
    return base


def tests_of(path):
    """Returns the reference values of a scene, with those of the files that it is composed of."""
    try:
        scene = json.loads(re.sub(r",(\s*[}\]])", r"\1", path.read_text()))
    except (ValueError, OSError):
        return {}
    if not isinstance(scene, dict):
        return {}
    base = tests_of(path.parent / scene["common"]) if scene.get("common") else {}
    return merged(base, scene.get("tests", {}))


def inverse(m):
    n = len(m)
    rows = [list(r) + [float(i == j) for j in range(n)] for i, r in enumerate(m)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i])]
    return [r[n:] for r in rows]


def determinant(m):
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    return sum(m[0][i] * (m[1][i - 2] * m[2][i - 1] - m[1][i - 1] * m[2][i - 2]) for i in range(3))


def nodes_of_order(dim, order):
    """Returns the indices of the nodes of a Lagrange cell, which sum up to the order, as VTK numbers them."""
    def unit(i, k):
        return tuple(k if c == i else 0 for c in range(dim + 1))

    def plus(*indices):
        return tuple(map(sum, zip(*indices)))

    edges = [(0, 1), (1, 2), (2, 0)] + ([(0, 3), (1, 3), (2, 3)] if dim == 3 else [])
    faces = [(0, 1, 3), (2, 3, 1), (0, 3, 2), (0, 2, 1)] if dim == 3 else [(0, 1, 2)]
    nodes = [unit(i, order) for i in range(dim + 1)]
    nodes += [plus(unit(i, order - k), unit(j, k)) for i, j in edges for k in range(1, order)]
    for face in faces:  # the nodes inside are its corners, moved inwards, up to order 4
        inside = [(1,) * 3] if order == 3 else [tuple(2 if c == i else 1 for c in range(3)) for i in range(3)]
        nodes += [plus(*(unit(corner, k) for corner, k in zip(face, index))) for index in inside if order > 2]
    return nodes + ([(1,) * 4] if dim == 3 and order == 4 else [])


def gauss_points(count):
    """Returns points and weights of Gauss and Legendre on [0, 1]."""
    points = []
    for i in range(count):
        x = math.cos(math.pi * (i + 0.75) / (count + 0.5))
        for _ in range(100):
            last, value = 1.0, x
            for k in range(2, count + 1):
                last, value = value, ((2 * k - 1) * x * value - (k - 1) * last) / k
            slope = count * (x * value - last) / (x * x - 1)
            x -= value / slope
        points.append(((1 + x) / 2, 1 / ((1 - x * x) * slope * slope)))
    return points


def shape(dim, order, at):
    """Returns the values of the shape functions and their derivatives by the coordinates l_1 ... l_dim, at
    barycentrics."""
    result = []
    for index in nodes_of_order(dim, order):
        factors = []
        for l, k in zip(at, index):
            value, slope = 1.0, 0.0
            for j in range(k):
                term = (order * l - j) / (k - j)
                value, slope = value * term, slope * term + value * order / (k - j)
            factors.append((value, slope))
        value = math.prod(f[0] for f in factors)
        slopes = [f[1] * math.prod(g[0] for j, g in enumerate(factors) if j != i) for i, f in enumerate(factors)]
        result.append((value, [slope - slopes[0] for slope in slopes[1:]]))
    return result


def rule(dim, order):
    """Returns weights and shape functions at the points of a cell: exact for squares of functions of its order, over
    curved cells. Linear cells have the middle alone, as PolyFEM integrates them."""
    if order == 1:
        return [(1 / math.factorial(dim), shape(dim, 1, [1 / (dim + 1)] * (dim + 1)))]
    points = gauss_points((2 * order + dim * (order - 1) + dim) // 2 + 1)
    cells = [(1.0, [])]
    for axis in range(dim):  # the square or cube, collapsed towards its corners
        cells = [(weight * w * (1 - x) ** (dim - 1 - axis), at + [x]) for weight, at in cells for x, w in points]
    result = []
    for weight, at in cells:
        barycentrics, rest = [], 1.0
        for x in at:
            barycentrics.append(rest * x)
            rest -= barycentrics[-1]
        result.append((weight, shape(dim, order, barycentrics + [rest])))
    return result


# Kinds of VTK's cells: linear and Lagrange ones of each dimension.
CELLS = {2: (5, 69), 3: (10, 71)}


def norms(rest, frame, dim):
    """Returns sqrt(int |u|^2) and sqrt(int |grad u|^2) over the elements of bodies, in their place at rest; and the
    largest |u| at the points of quadrature."""
    x, y = rest["Points"], frame["Points"]
    rules = {math.comb(order + dim, dim): rule(dim, order) for order in range(1, 5)
             if order == 1 or CELLS[dim][1] in rest["types"]}
    square, gradient_square, largest, start = 0.0, 0.0, 0.0, 0
    for end, kind, is_obstacle in zip(rest["offsets"], rest["types"], rest["is_obstacle"]):
        nodes, start = rest["connectivity"][start:end], end
        if is_obstacle or kind not in CELLS[dim]:
            continue
        at = [x[3 * v:3 * v + dim] for v in nodes]
        u = [[b - a for a, b in zip(x[3 * v:3 * v + dim], y[3 * v:3 * v + dim])] for v in nodes]
        for weight, shapes in rules[len(nodes)]:
            value = [sum(s[0] * d[c] for s, d in zip(shapes, u)) for c in range(dim)]
            edges = [[sum(s[1][k] * p[c] for s, p in zip(shapes, at)) for c in range(dim)] for k in range(dim)]
            changes = [[sum(s[1][k] * d[c] for s, d in zip(shapes, u)) for c in range(dim)] for k in range(dim)]
            back = inverse(edges)
            measure = weight * abs(determinant(edges))
            length_square = sum(c * c for c in value)
            largest = max(largest, math.sqrt(length_square))
            square += measure * length_square
            gradient_square += measure * sum(sum(back[i][k] * changes[k][c] for k in range(dim)) ** 2
                                             for i in range(dim) for c in range(dim))
    return math.sqrt(square), math.sqrt(gradient_square), largest


def difference(ours, reference):
    """Returns the difference as PolyFEM compares."""
    return abs(ours - reference) / max(abs(reference), 1e-5)


# --- runs ---


def run(program, name, steps, limit, folder, only_check):
    path = peer_data() / name
    native = folder / "scene.json"
    folder.mkdir(parents=True, exist_ok=True)
    command = [program, "convert", str(path), "-o", str(native), "--format", "polyfem", "--overwrite"]
    read = subprocess.run(command, capture_output=True, text=True)
    messages = [line for line in (read.stdout + read.stderr).splitlines() if line.strip()]
    errors = [line for line in messages if "error" in line.lower()] or messages
    result = {"scene": name, "loads": read.returncode == 0, "messages": messages[:40]}
    if read.returncode != 0:
        result["why"] = errors
        return result
    tests = tests_of(path)
    scene = json.loads(native.read_text())
    total = max(1, round(scene["time"]["duration"] / scene["time"]["step"] - 1e-6))
    asked = tests.get("time_steps", 1)
    asked = total if asked in ("all", "static") else int(asked)
    count = min(max(steps, asked if "err_l2" in tests else 0), total)
    result.update({"bodies": len(scene["bodies"]), "dimension": scene["dimension"], "total": total, "asked": count})
    if only_check:
        return result
    out = folder / "run"
    command = [program, "run", str(path), "-o", str(out), "--steps", str(count), "--threads", "2", "-q", "--overwrite",
               "--set", "output.checkpoint_interval=1000000", "--set", "output.frame_interval=1"]
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = process.communicate(timeout=limit)
        result["ended"] = "" if process.returncode == 0 else f"exit {process.returncode}"
    except subprocess.TimeoutExpired:
        process.terminate()
        output, _ = process.communicate()
        result["ended"] = "limit"
    result.update({"wall": time.monotonic() - started, "output": output.strip().splitlines()[-5:]})
    records = read_stats(out / "stats.jsonl")
    frames = sorted((out / "frames").glob("*.vtu"))
    result.update({"steps": len(records), "failures": Counter(r["status"] for r in records if r["status"] != "converged"),
                   "newton": sum(r["newton_iterations"] for r in records) / max(len(records), 1)})
    if not frames:
        return result
    verified = subprocess.run([program, "verify", str(out)], capture_output=True, text=True)
    result["verify"] = "clean" if verified.returncode == 0 else (verified.stdout.strip().splitlines() or ["failed"])[-1]
    rest = read_frame(frames[0])
    result["nodes"] = len(rest["Points"]) // 3
    if "err_l2" in tests and 0 < asked < len(frames):
        l2, h1, _ = norms(rest, read_frame(frames[asked]), scene["dimension"])
        result["norms"] = {"step": asked, "l2": l2, "h1": h1, "l2_reference": tests["err_l2"],
                           "h1_reference": tests.get("err_h1_semi", 0.0), "margin": tests.get("margin", 1e-5),
                           "contacts": max(r["contacts"] for r in records[:asked])}
    for frame in frames:
        frame.unlink()  # frames are large, and have been checked
    return result


# --- the table ---

def reason(result):
    """Returns the first problem without the file, and how many more there are."""
    texts = []
    for line in result["why"]:
        text = re.sub(r"^.*?\.json:\s*", "", re.sub(r"^error:\s*", "", line))
        text = re.sub(r"; looked for \S+", "", text)  # a path of this machine
        texts.append(text.replace("|", "/")[:150].rstrip(" ("))
    more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
    return (texts[0] if texts else "?") + more


def row(r):
    name = r["scene"].removesuffix(".json")
    if not r["loads"]:
        return [name, "refused: " + reason(r), "", "", "", ""]
    if "steps" not in r:
        return [name, "loads", "", "", "", ""]
    failures = ", ".join(f"{count} {status}" for status, count in r["failures"].items())
    steps = f"{r['steps']} of {r['asked']}" + (f" ({failures})" if failures else "") + \
            (f", {r['ended']}" if r["ended"] else "")
    compared = ""
    if "norms" in r:
        n = r["norms"]
        worst = max(difference(n["l2"], n["l2_reference"]), difference(n["h1"], n["h1_reference"]))
        verdict = "agrees" if worst <= n["margin"] else f"differs by {worst:.1e}"
        touch = "" if n["contacts"] else ", no contact"
        compared = f"{n['l2']:.6g} / {n['l2_reference']:.6g}, {n['h1']:.6g} / {n['h1_reference']:.6g} " \
                   f"(step {n['step']}{touch}): {verdict}"
    return [name, "loads", str(r.get("nodes", "")), steps, r.get("verify", "-"), compared]


def summary(rows):
    loaded = [r for r in rows if r[1] == "loads"]
    counts = [(r, *map(int, re.match(r"(\d+) of (\d+)", r[3]).groups())) for r in loaded if r[3]]
    ran = [r for r, steps, asked in counts if steps >= min(20, asked) and r[4] == "clean"]
    compared = [r[5] for r in loaded if r[5]]
    agree = [text for text in compared if text.endswith("agrees")]
    free = [text for text in compared if "no contact" in text]
    return f"{len(rows)} files: {len(loaded)} load, {len(ran)} ran their steps and verified; {len(compared)} have " \
           f"reference norms, {len(agree)} agree to the file's margin ({len([t for t in agree if t in free])} " \
           f"of {len(free)} without contact).\n"


def rows_of_page():
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")][2:] if PAGE.exists() else []
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {row[0]: row + [""] * (6 - len(row)) for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="scenes whose name holds one of these (default: all)")
    parser.add_argument("--program", default=os.environ.get("CLEARANCE", str(ROOT / "build" / "bin" / "clearance")))
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--limit", type=float, default=120, help="seconds a scene may take (default 120)")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "polyfem_scenes", help="of results")
    parser.add_argument("--again", action="store_true", help="run scenes again whose results are there")
    parser.add_argument("--check", action="store_true", help="only read the scenes")
    parser.add_argument("--write", action="store_true", help="store the rows of all results, run nothing")
    arguments = parser.parse_args()

    arguments.folder.mkdir(parents=True, exist_ok=True)
    read, run_too = arguments.folder / "read.jsonl", arguments.folder / "results.jsonl"
    store = read if arguments.check else run_too
    stores = [read, run_too] if arguments.write else [store]  # a run replaces a result of reading only
    lines = [json.loads(line) for file in stores if file.exists() for line in file.read_text().splitlines()]
    results = {r["scene"]: r for r in lines}
    if arguments.write:
        rows = rows_of_page()  # a scene without a result keeps its row
        rows.update({name.removesuffix(".json"): row(result) for name, result in results.items()})
        kept = [rows[name] for name in (n.removesuffix(".json") for n in scene_names()) if name in rows]
        header = ["scene", "read", "nodes", "steps", "verify", "norms of the displacement and its gradient, Clearance / PolyFEM"]
        write_between_markers(PAGE, "table", summary(kept) + "\n" + table(header, kept))
        return 0

    for name in scene_names():
        if arguments.words and not any(word in name for word in arguments.words):
            continue
        if name in results and not arguments.again:
            continue
        folder = arguments.folder / name.replace("/", ".")
        results[name] = run(arguments.program, name, arguments.steps, arguments.limit, folder, arguments.check)
        with open(store, "a") as out:
            out.write(json.dumps(results[name]) + "\n")
        print(" | ".join(row(results[name])), flush=True)
    print(summary([row(r) for r in results.values()]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
