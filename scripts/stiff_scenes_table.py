#!/usr/bin/env python3
"""Runs the published scenes of Rigid IPC and writes a table of the outcomes.

  scripts/stiff_scenes_table.py                          # every scene but the scalability studies: affine, some rigid
  scripts/stiff_scenes_table.py 3D/chain --type affine   # scenes whose name holds a word
  scripts/stiff_scenes_table.py --write                  # only store the table of all results in docs/published_stiff_scenes.md

Scenes are looked for below CLEARANCE_PEER_DATA (rigid-ipc/fixtures). Each runs its first 100 steps, or as many as the
time limit allows, with one thread; then `clearance verify` checks all frames exactly. Results are kept in the folder
`--folder`, one line a scene, so that a run can be continued: scenes with a result are not run again.
"""

import argparse
import array
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from bench_common import ROOT, peer_data, read_stats, table, write_between_markers

PAGE = ROOT / "docs" / "published_stiff_scenes.md"
LEFT_OUT = ["scalability", "expanding-lock-box"]  # expanding-lock-box: its meshes were never published
RIGID_TOO = ["3D/unit-tests/", "3D/friction/incline-plane/", "3D/mechanisms/bolt", "092-piston", "chain-net/chain-net-4x4"]


def fixtures():
    return peer_data() / "rigid-ipc" / "fixtures"


def scene_names():
    """Returns the scenes, cheap ones first, as far as the size of the file tells."""
    files = [f for f in fixtures().rglob("*.json") if not any(word in str(f) for word in LEFT_OUT)]
    return [str(f.relative_to(fixtures()).with_suffix("")) for f in sorted(files, key=lambda f: (f.stat().st_size, str(f)))]


def body_types(name):
    """Returns the types of bodies that a scene is run with."""
    return ["affine", "rigid"] if any(word in name for word in RIGID_TOO) else ["affine"]


# --- how far bodies are from rigid ---

def read_frame(path):
    """Returns points (flat), cells as lists of points, and the body and kind of each cell."""
    data = path.read_bytes()
    header, blob = data.split(b'<AppendedData encoding="raw">', 1)
    blob = blob[blob.index(b"_") + 1:]
    codes = {"Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}
    fields = {}
    for kind, name, offset in re.findall(rb'type="(\w+)" Name="(\w+)"[^>]*format="appended" offset="(\d+)"', header):
        start = int(offset)
        size = int.from_bytes(blob[start:start + 8], "little")
        values = array.array(codes[kind.decode()])
        values.frombytes(blob[start + 8:start + 8 + size])
        fields[name.decode()] = values
    return fields


def points_of_bodies(frame):
    """Returns the points of every body that is no obstacle."""
    points, start = {}, 0
    for end, body, is_obstacle in zip(frame["offsets"], frame["body"], frame["is_obstacle"]):
        if not is_obstacle:
            points.setdefault(body, set()).update(frame["connectivity"][start:end])
        start = end
    return points


def sub(a, b):
    return [p - q for p, q in zip(a, b)]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def frame_points(points, at):
    """Returns up to four points far apart, and the inverse of the triangle of their orthonormalised edges: rest
    edges = basis * L."""
    chosen, basis, coefficients = [points[0]], [], []
    far = max(points, key=lambda p: dot(sub(at(p), at(points[0])), sub(at(p), at(points[0]))))
    size = math.sqrt(dot(sub(at(far), at(points[0])), sub(at(far), at(points[0]))))
    while len(basis) < 3:
        def residual(p):
            r = sub(at(p), at(points[0]))
            parts = []
            for b in basis:
                parts.append(dot(r, b))
                r = [x - parts[-1] * y for x, y in zip(r, b)]
            return r, parts
        best = max(points, key=lambda p: dot(residual(p)[0], residual(p)[0]))
        r, parts = residual(best)
        length = math.sqrt(dot(r, r))
        if length <= 1e-3 * size or size == 0:
            break  # the body is flat or straight: it can stretch only in the directions that it spans
        basis.append([x / length for x in r])
        coefficients.append(parts + [length])
        chosen.append(best)
    return chosen, coefficients


def largest_eigenvalue(m):
    """Returns the largest eigenvalue of a small symmetric matrix, by Jacobi rotations."""
    n = len(m)
    for _ in range(30):
        p, q = max(((i, j) for i in range(n) for j in range(i)), key=lambda ij: abs(m[ij[0]][ij[1]]), default=(0, 0))
        if p == q or abs(m[p][q]) < 1e-18:
            break
        theta = 0.5 * math.atan2(2 * m[p][q], m[q][q] - m[p][p])
        c, s = math.cos(theta), math.sin(theta)
        for k in range(n):
            m[k][p], m[k][q] = c * m[k][p] - s * m[k][q], s * m[k][p] + c * m[k][q]
        for k in range(n):
            m[p][k], m[q][k] = c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]
    return max(m[i][i] for i in range(n))


def stretch(rest_frame, frames):
    """Returns the largest singular value of any body's affine map minus 1, over `frames`."""
    rest, worst = rest_frame["Points"], 0.0
    chosen = [frame_points(sorted(points), lambda p: rest[3 * p:3 * p + 3])
              for points in points_of_bodies(rest_frame).values()]
    for frame in frames:
        at = frame["Points"]
        for points, triangle in chosen:
            columns = []
            for point, row in zip(points[1:], triangle):  # edges now = (A basis) L: solve for the columns of A basis
                edge = sub(at[3 * point:3 * point + 3], at[3 * points[0]:3 * points[0] + 3])
                for part, column in zip(row, columns):
                    edge = [x - part * y for x, y in zip(edge, column)]
                columns.append([x / row[-1] for x in edge])
            if columns:
                strain = [[dot(a, b) - (i == j) for j, b in enumerate(columns)] for i, a in enumerate(columns)]
                worst = max(worst, math.sqrt(max(0.0, 1 + largest_eigenvalue(strain))) - 1)
    return worst


def stretch_of_run(folder):
    names = sorted((folder / "frames").glob("*.vtu"))
    if len(names) < 2:
        return None
    every = max(1, (len(names) - 1) // 10)
    return stretch(read_frame(names[0]), (read_frame(n) for n in names[1::every]))


# --- runs ---

def run(program, name, body_type, steps, limit, frame_interval, folder):
    """Runs one scene; returns the data that the table needs."""
    command = [program, "run", str(fixtures() / f"{name}.json"), "-o", str(folder), "--steps", str(steps), "--threads", "1",
               "-q", "--overwrite", "--set", "output.checkpoint_interval=1000000", "--set", f"output.frame_interval={frame_interval}"]
    if body_type == "rigid":
        command += ["--set", "bodies.type=rigid"]
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        messages, _ = process.communicate(timeout=limit)
        ended = "" if process.returncode == 0 else f"exit {process.returncode}"
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        messages, _ = process.communicate()
        ended = "limit"
    records = read_stats(folder / "stats.jsonl")
    result = {"scene": name, "type": body_type, "steps": len(records), "ended": ended, "wall": time.monotonic() - started,
              "messages": messages.strip().splitlines()[-3:]}
    if not records:
        return result
    failures = {}
    for r in records:
        if r["status"] != "converged":
            failures[r["status"]] = failures.get(r["status"], 0) + 1
    gaps = [r["min_distance"] for r in records if r["min_distance"] is not None]
    scene = json.loads((folder / "scene.json").read_text())
    verified = subprocess.run([program, "verify", str(folder)], capture_output=True, text=True)
    result.update({
        "bodies": len(scene["bodies"]), "failures": failures, "gap": min(gaps) if gaps else None,
        "newton": sum(r["newton_iterations"] for r in records) / len(records),
        "seconds": sum(r["seconds"]["total"] for r in records) / len(records),
        "verify": "clean" if verified.returncode == 0 else verified.stdout.strip().splitlines()[-1],
        "stretch": stretch_of_run(folder) if body_type == "affine" else None,
    })
    return result


def row(r):
    def number(value, text):
        return "-" if value is None else format(value, text)
    if not r["steps"]:
        reason = " ".join(r["messages"]).rsplit(": ", 1)[-1]
        return [r["scene"], r["type"], "-", "0", f"{r['ended']}: {reason}"] + ["-"] * 5
    failures = ", ".join(f"{count} {status}" for status, count in r["failures"].items())
    return [r["scene"], r["type"], str(r["bodies"]), str(r["steps"]), failures or "all", f"{r['newton']:.1f}",
            number(1e3 * r["seconds"], ".3g"), number(r["gap"], ".1e"), number(r["stretch"], ".0e"), r["verify"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="scenes whose name holds one of these (default: all)")
    parser.add_argument("--program", default=os.environ.get("CLEARANCE", str(ROOT / "build" / "bin" / "clearance")))
    parser.add_argument("--type", choices=["affine", "rigid"], help="only as affine or only as rigid bodies")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--limit", type=float, default=120, help="seconds a scene may take (default 120)")
    parser.add_argument("--frame-interval", type=int, default=1, help="steps between frames that are checked")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "stiff_scenes", help="of results")
    parser.add_argument("--again", action="store_true", help="run scenes again whose results are there")
    parser.add_argument("--write", action="store_true", help="store the table of all results, run nothing")
    arguments = parser.parse_args()

    arguments.folder.mkdir(parents=True, exist_ok=True)
    store = arguments.folder / "results.jsonl"
    lines = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    results = {(r["scene"], r["type"]): r for r in lines}
    header = ["scene", "type", "bodies", "steps", "converged", "Newton a step", "ms a step", "smallest gap [m]",
              "stretch", "verify"]
    if arguments.write:
        order = sorted(results, key=lambda key: (key[0].startswith("2D"), key))
        write_between_markers(PAGE, "table", table(header, [row(results[key]) for key in order]))
        return 0

    for name in scene_names():
        if arguments.words and not any(word in name for word in arguments.words):
            continue
        for body_type in [arguments.type] if arguments.type else body_types(name):
            if (name, body_type) in results and not arguments.again:
                continue
            folder = arguments.folder / f"{name.replace('/', '.')}.{body_type}"
            result = run(arguments.program, name, body_type, arguments.steps, arguments.limit,
                         arguments.frame_interval, folder)
            with open(store, "a") as out:
                out.write(json.dumps(result) + "\n")
            print(" | ".join(row(result)) + (f"   ({result['ended']})" if result["ended"] else ""), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
