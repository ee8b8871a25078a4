#!/usr/bin/env python3
"""Runs scenes with two programs and compares the state hash of every step: `./dev bench bits --against PROGRAM`.

A change that should alter no result is proved by this. The scenes are the examples, the benchmark scenes, and an even
choice of the published ones below CLEARANCE_PEER_DATA: scripts of IPC, fixtures of Rigid IPC, scenes of high-order IPC, of
remeshing and of orientation-aware contact. Both programs run the first steps of each on one thread. A scene that neither
finishes within --limit seconds is compared as far as both have come.

Exit status 1 if a step of a scene has another hash, or if only one of the programs accepts a scene.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from bench_common import ROOT, peer_data, run_scene, table

# Exit status of a program that refuses its input.
REFUSED = 2
# Folder below CLEARANCE_PEER_DATA, pattern, number of scenes.
PUBLISHED = [("ipc/input", "*.txt", 20), ("rigid-ipc/fixtures", "*.json", 20), ("high-order-ipc/scripts", "*.json", 10),
             ("remeshing/scripts", "*.json", 10), ("polyfem-data/gcp-contact", "*.json", 4)]


def evenly(items, count):
    """`count` items at equal distances, all if there are fewer."""
    if len(items) <= count:
        return items
    return [items[k * len(items) // count] for k in range(count)]


def scenes():
    own = sorted((ROOT / "examples").glob("*.json")) + sorted((ROOT / "benchmarks" / "scenes").glob("*.json"))
    yield from own
    for folder, pattern, count in PUBLISHED:
        yield from evenly(sorted((peer_data() / folder).rglob(pattern)), count)


def run(program, scene, steps, limit):
    with tempfile.TemporaryDirectory() as folder:
        return run_scene(program, scene, steps, 1, Path(folder) / "result", limit=limit)


def compare(scene, old, new, steps, limit):
    """(verdict, row): "same", "other", "refused" by both, or "unfinished" if no step was compared."""
    runs = [run(program, scene, steps, limit) for program in (old, new)]
    before, after = [run["records"] for run in runs]
    is_refused = [run["exit"] == REFUSED and not run["records"] for run in runs]
    num = min(len(before), len(after))
    name = next((str(scene.relative_to(base)) for base in (ROOT, peer_data()) if scene.is_relative_to(base)), str(scene))
    newton = [sum(r["newton_iterations"] for r in records[:num]) for records in (before, after)]
    row = [name, str(num), str(newton[0]), str(newton[1])]
    if all(is_refused):
        return "refused", row + ["refused by both"]
    if any(is_refused):
        return "other", row + [f"refused by the {'old' if is_refused[0] else 'new'} program alone"]
    if num == 0:
        return "unfinished", row + ["no step within the limit"]
    for a, b in zip(before, after):
        if a["state_hash"] != b["state_hash"]:
            return "other", row + [f"other bits from step {a['step']} on"]
    return "same", row + ["same bits"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program to judge")
    parser.add_argument("--against", required=True, help="the program whose results count")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds a run")
    parser.add_argument("--only", default="", help="scenes whose path holds this")
    arguments = parser.parse_args()
    counts = {"same": 0, "other": 0, "refused": 0, "unfinished": 0}
    rows = []
    for scene in scenes():
        if arguments.only not in str(scene):
            continue
        verdict, row = compare(scene, arguments.against, arguments.program, arguments.steps, arguments.limit)
        counts[verdict] += 1
        rows.append(row)
        print(f"{row[0]}: {row[-1]}", flush=True)
    print()
    print(table(["scene", "steps", "Newton iterations, old", "new", "state"], rows))
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["other"] else 0


if __name__ == "__main__":
    sys.exit(main())
