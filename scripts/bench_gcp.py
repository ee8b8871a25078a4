#!/usr/bin/env python3
"""What gcp costs beside ipc: `./dev bench gcp`.

Runs the first steps of each example with deformable bodies under both formulations, in turn, on one thread. Prints
Newton iterations, those of parts that still moved, CPU seconds and peak memory, and the ratios of gcp to ipc.
"""

import argparse
import tempfile
from pathlib import Path

from bench_common import ROOT, is_missing, machine, run_scene, statuses_text, table, write_between_markers

FORMULATIONS = ("ipc", "gcp")
# Examples of solids that collide, and the number of steps up to which contact has set in.
EXAMPLES = {"drop_in_bowl": 24, "mat_on_knives": 24, "compression": 10, "high_speed_impact": 8, "squashed_block": 15,
            "twisted_rods": 34, "soft_gripper": 44, "wind_and_waves": 24, "ball_through_funnel": 42, "ships": 24}
WANTED = {"iterations": 1.1, "cpu": 1.3}
HEADER = ["example", "steps", "contacts, ipc", "gcp", "Newton iterations, ipc", "gcp", "ratio", "of parts, ipc", "gcp", "CPU s, ipc", "gcp", "ratio",
          "MB, ipc", "gcp", "ratio", "not converged, ipc; gcp"]


def measure(program, name, steps, repetitions):
    """Returns the cheapest run of each formulation by its name."""
    best = {}
    for _ in range(repetitions):
        for formulation in FORMULATIONS:
            with tempfile.TemporaryDirectory() as folder:
                run = run_scene(program, ROOT / "examples" / f"{name}.json", steps, 1, Path(folder) / "result",
                                settings=[f"contact.formulation={formulation}"])
            if formulation not in best or run["cpu"] < best[formulation]["cpu"]:
                best[formulation] = run
    return best


def total(run, key):
    return sum(record[key] for record in run["records"])


def statuses(run):
    counts = {}
    for record in run["records"]:
        counts[record["status"]] = counts.get(record["status"], 0) + 1
    return statuses_text(counts)


def row_of(name, runs):
    """Returns a row of HEADER and the ratios that are judged."""
    ipc, gcp = (runs[formulation] for formulation in FORMULATIONS)
    if not ipc["records"] or not gcp["records"]:
        notes = (ipc["notes"] + gcp["notes"])[:1]
        return [name, "0", *notes, *[""] * (len(HEADER) - 2 - len(notes))], None
    newton = [total(run, "newton_iterations") for run in (ipc, gcp)]
    parts = [total(run, "partial_iterations") for run in (ipc, gcp)]
    ratios = {"iterations": newton[1] / max(newton[0], 1), "cpu": gcp["cpu"] / ipc["cpu"]}
    contacts = [max(record["contacts"] for record in run["records"]) for run in (ipc, gcp)]
    row = [name, str(len(gcp["records"])), *map(str, contacts), *map(str, newton), f"{ratios['iterations']:.2f}", *map(str, parts),
           f"{ipc['cpu']:.2f}", f"{gcp['cpu']:.2f}", f"{ratios['cpu']:.2f}", f"{ipc['mb']:.0f}", f"{gcp['mb']:.0f}",
           f"{gcp['mb'] / ipc['mb']:.2f}", f"{statuses(ipc)}; {statuses(gcp)}"]
    return row, ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--only", default="", help="examples whose name holds this")
    parser.add_argument("--steps", type=int, help="steps of each example, instead of those of the table")
    parser.add_argument("--repetitions", type=int, default=1, help="runs of each, of which the cheapest counts")
    parser.add_argument("--write", action="store_true", help="store the table in docs/contact_formulations.md")
    arguments = parser.parse_args()
    if is_missing(arguments.program):
        return
    rows, judged = [], []
    for name, steps in EXAMPLES.items():
        if arguments.only not in name:
            continue
        row, ratios = row_of(name, measure(arguments.program, name, arguments.steps or steps, arguments.repetitions))
        rows.append(row)
        print(" | ".join(row), flush=True)
        if ratios:
            judged.append(ratios)
    text = table(HEADER, rows)
    print(f"\n{machine()}\n\n{text}")
    for key, wanted in WANTED.items():
        print(f"{key}: at most {wanted} of ipc's in {sum(r[key] <= wanted for r in judged)} of {len(judged)} examples")
    if arguments.write:
        write_between_markers(ROOT / "docs" / "contact_formulations.md", "cost", text)


if __name__ == "__main__":
    main()
