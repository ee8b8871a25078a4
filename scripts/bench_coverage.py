#!/usr/bin/env python3
"""Deviations of fits against their errors: `./dev bench coverage [--seeds N] [--only NAME]`.

Films the box of examples/fits, which slides until friction stops it, with errors of 2 % from a seed, and finds
friction, or friction and speed, with `clearance optimise` from a start that is far off. For each number it prints the
mean error over the seeds, the spread of the errors beside the mean of the deviations that the program states, and how
often the program's interval of 95 % holds the truth. Exit status 1 if the mean error is above 1 %, if fewer than 90 %
or more than 99 % of the intervals hold the truth, or if a fit does not converge.
"""

import argparse
import csv
import json
import math
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench_common import ROOT, is_missing, run_limited, solve_all, table

FITS = ROOT / "examples" / "fits"
NOISE = 0.02
TRUTH = {"friction": 0.5, "speed": 2.0}
PATHS = {"friction": "friction.coefficient", "speed": "bodies[0].linear_velocity[0]"}
START = {"friction": 0.35, "speed": 1.8}
MOST_ERROR, LEAST_COVER, MOST_COVER = 0.01, 0.90, 0.99
HEADER = ["case", "number", "fits", "mean error %", "spread %", "stated %", "within 1 %", "in the interval", "verdict"]


@dataclass
class Case:
    name: str
    says: str
    numbers: tuple
    every: int             # steps from picture to picture
    until: float           # [s] time of the last picture
    is_of_reading: bool    # errors are a share of each reading; else of the way of the box
    is_told: bool          # the plan gives the deviations


CASES = [
    Case("way-told", "errors of 2 % of the way, which the plan tells", ("friction",), 3, 0.8, False, True),
    Case("way", "errors of 2 % of the way, which the fit has to find", ("friction",), 3, 0.8, False, False),
    Case("reading-told", "errors of 2 % of each reading, which the plan tells", ("friction",), 1, 0.4, True, True),
    Case("reading", "errors of 2 % of each reading, which the fit has to find", ("friction",), 1, 0.4, True, False),
    Case("both", "errors of 2 % of the way, for friction and speed", ("friction", "speed"), 1, 0.8, False, False),
]


def film_of(program, folder):
    """Returns times and places of the box in a run with the true numbers."""
    settings = [f"{PATHS[name]}={value}" for name, value in TRUTH.items()]
    command = [program, "run", FITS / "sliding_box.json", "-o", folder, "-q", "--threads", 1]
    for setting in settings:
        command += ["--set", setting]
    ended = run_limited(command)
    if ended["exit"] != 0:
        sys.exit(f"the run with the true numbers failed: {' '.join(ended['notes'][:3])}")
    with open(folder / "probes.csv", encoding="utf-8") as rows:
        return [(float(row["time [s]"]), float(row["box.x [m]"])) for row in csv.DictReader(rows)]


def plan_of(case, way):
    column = {"probe": "box.x", "data": "film.csv"}
    if case.is_told:
        column.update({"relative_deviation": NOISE} if case.is_of_reading else {"deviation": NOISE * way})
    parameters = [{"name": name, "path": PATHS[name], "from": 0.1 * TRUTH[name], "to": 3.0 * TRUTH[name],
                   "start": START[name]} for name in case.numbers]
    return {"scene": str(FITS / "sliding_box.json"), "parameters": parameters, "fit": [column]}


def fit(program, case, film, seed):
    """Returns the result of the program for the errors of a seed."""
    errors = random.Random(f"{case.name} {seed}")
    way = film[-1][1]
    lines = ["time [s],box.x [m]"]
    # The place at the start is known.
    for time, x in film[case.every::case.every]:
        if time <= case.until + 1e-9:
            lines.append(f"{time!r},{x + errors.gauss(0.0, NOISE * (x if case.is_of_reading else way))!r}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "film.csv").write_text("\n".join(lines) + "\n")
        (folder / "fit.json").write_text(json.dumps(plan_of(case, way)))
        command = [program, "optimise", folder / "fit.json", "-o", folder / "out", "--json", "--threads", "1"]
        ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        report = folder / "out" / "fit.json"
        if not report.exists():
            return {"end": f"exit status {ended.returncode}: {' '.join(ended.stderr.split())[:200]}", "parameters": []}
        return json.loads(report.read_text())


def rows_of(case, results):
    """Returns a row for each number of a case, and True if all are as they should be."""
    found = [result for result in results if result["end"] == "converged"]
    rows, is_right = [], len(found) == len(results)
    for k, name in enumerate(case.numbers):
        truth = TRUTH[name]
        numbers = [result["parameters"][k] for result in found]
        errors = [number["value"] / truth - 1.0 for number in numbers]
        stated = [number["standard_deviation"] / truth for number in numbers]
        inside = sum(number["interval_95"][0] <= truth <= number["interval_95"][1] for number in numbers)
        near = sum(abs(error) <= 0.01 for error in errors)
        count = max(1, len(found))
        mean = sum(errors) / count
        spread = math.sqrt(sum((error - mean) ** 2 for error in errors) / max(1, count - 1))
        is_honest = LEAST_COVER <= inside / count <= MOST_COVER and abs(mean) <= MOST_ERROR
        is_right = is_right and is_honest
        rows.append([case.name, name, f"{len(found)} of {len(results)}", f"{100 * mean:+.2f}", f"{100 * spread:.2f}",
                     f"{100 * sum(stated) / count:.2f}", f"{100 * near / count:.0f} %", f"{100 * inside / count:.1f} %",
                     "OK" if is_honest else "OFF"])
    return rows, is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/clearance")
    parser.add_argument("--seeds", type=int, default=200, help="fits of each case (default 200)")
    parser.add_argument("--only", help="run the cases whose name contains this")
    parser.add_argument("--jobs", type=int, default=2, help="fits at a time (default 2)")
    arguments = parser.parse_args()
    if is_missing(arguments.program):
        return 2
    rows, is_right = [], True
    with tempfile.TemporaryDirectory() as temporary:
        film = film_of(arguments.program, Path(temporary) / "film")
        for case in CASES:
            if arguments.only and arguments.only not in case.name:
                continue
            print(f"{case.name}: {case.says}", flush=True)
            results = solve_all(lambda seed, case=case: fit(arguments.program, case, film, seed),
                                range(1, arguments.seeds + 1), arguments.jobs,
                                lambda result: f"  not converged: {result['end']}",
                                lambda result: result["end"] != "converged")
            more, is_honest = rows_of(case, results)
            print("  " + "; ".join(" | ".join(row[1:]) for row in more), flush=True)
            rows += more
            is_right = is_right and is_honest
    print("\n" + table(HEADER, rows))
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
