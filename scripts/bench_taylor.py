#!/usr/bin/env python3
"""Remainders beside the tangent: `./dev bench taylor [--only NAME] [--write]`.

For small scenes of every kind of body, integrator and contact formulation, and a number of each group of parameters:
changes the number by shares e from 10 % to 0.01 %, and compares the run with the tangent, L(p + e) - L(p) - e dL/dp. If
the derivative is right, this falls with e^2. L is the coordinate of the body's mean place that the number moves most;
the runs have the contact that derivatives hold.

  2.00       slope of the remainder over e, the median between neighbouring changes; of the smaller half of the changes
             if that of all is below 1.8, because a contact begins or ends to slide within the larger ones
  to 3e-05   the derivative has this relative error, which hides the slope (the program warns of few digits)
  exact      L is linear in the number: no remainder beyond rounding
  none       L does not depend on the number
  -          the scene does not have the number
  OFF 1.2    the slope and the relative error, or the reason why there is no derivative

Exit status 1 if a derivative is off: a slope below 1.8 and a relative error above 1e-4.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench_common import ROOT, is_missing, solve_all, table, write_between_markers
from derivatives.gradient import message_of
from derivatives.matrix import GROUPS, all_cases

PAGE = ROOT / "docs" / "taylor.md"
LEAST_SLOPE, FEW_DIGITS = 1.8, 1e-4
# Remainders below these shares of the linear change and of the value are rounding.
LINEAR, ROUNDING = 1e-9, 1e-12


@dataclass
class Cell:
    text: str
    is_off: bool = False
    decades: float = 0.0
    error: float = 0.0


def cell_of(columns):
    """Returns the slope of the column that the number moves most, from the entries of `taylor` for a number and the
    derivatives by it."""
    entry, derivative, value = max(columns, key=lambda c: abs(c[1]))
    changes, remainders = entry["changes"], entry["remainders"]
    moved = [abs(v - value) for v in entry["values"] if v is not None]
    if not moved:
        return Cell("OFF: no run beside this one", True)
    floor = ROUNDING * max(abs(value), 0.1)
    if max(moved) <= 100 * floor and abs(derivative) * changes[0] <= 100 * floor:
        return Cell("none")
    points = [(e, abs(r)) for e, r in zip(changes, remainders)
              if r is not None and abs(r) > max(10 * floor, LINEAR * abs(derivative) * e)]
    if len(points) < 3:
        return Cell("exact")
    slopes = [math.log(b[1] / a[1]) / math.log(b[0] / a[0]) for a, b in zip(points, points[1:])]
    decades = math.log10(points[0][0] / points[-1][0])
    slope = statistics.median(slopes)
    if slope < LEAST_SLOPE:
        # Contacts that begin to slide or to touch are kinks: beyond them the run has another slope.
        slope = statistics.median(slopes[len(slopes) // 2:])
    error = min(abs(r) / abs(derivative * e) for e, r in zip(changes, remainders) if r is not None and derivative)
    if slope >= LEAST_SLOPE:
        return Cell(f"{slope:.2f}", False, decades, error)
    if error <= FEW_DIGITS:
        return Cell(f"to {error:.0e}", False, decades, error)
    return Cell(f"OFF {slope:.2f}, {error:.0e}", True, decades, error)


def solve(program, case, keep):
    """Returns the cells of a scene by group of parameters."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if keep:
            folder = keep / case.name.replace(" ", "").replace("/", "-")
            folder.mkdir(parents=True, exist_ok=True)
        (folder / "scene.json").write_text(json.dumps(case.scene, indent=1))
        command = [str(program), "gradient", str(folder / "scene.json"), "--taylor", "--json", "--threads", "1"]
        for path in case.paths.values():
            command += ["--by", path]
        begin = time.monotonic()
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begin
        if keep:
            (folder / "gradient.json").write_text(ended.stdout)
    if ended.returncode != 0:
        return {"": Cell(f"OFF: {message_of(ended)[:160]}", True)}, seconds
    result = json.loads(ended.stdout)
    cells = {}
    for group, path in case.paths.items():
        columns = []
        for column in result["columns"]:
            entry = next(e for e in result["taylor"] if e["column"] == column["name"] and e["parameter"] == path)
            columns.append((entry, column["derivatives"][path], column["value"]))
        cells[group] = cell_of(columns)
    return cells, seconds


def row_of(case, cells):
    head = [case.kind, case.integrator, case.contact]
    if "" in cells:
        return head + [cells[""].text] + [""] * (len(GROUPS) - 1)
    return head + [cells[group].text if group in cells else "-" for group in GROUPS]


def page_of(rows, count, off):
    text = (f"{count} derivatives, {off} of them off. Rows are scenes, columns groups of parameters; the numbers are "
            "slopes of the remainder beside the tangent over changes from 10 % to 0.01 %.\n\n")
    return text + table(["body", "integrator", "contact", *GROUPS], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/clearance")
    parser.add_argument("--only", help="run the scenes whose name contains this, for example 'rod / bdf2'")
    parser.add_argument("--jobs", type=int, default=2, help="scenes at a time (default 2)")
    parser.add_argument("--keep", type=Path, help="keep scenes and results in this folder")
    parser.add_argument("--write", action="store_true", help=f"store the table in {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args()
    if is_missing(arguments.program):
        return 2
    cases = [case for case in all_cases() if not arguments.only or arguments.only in case.name]

    def text(outcome):
        case, (cells, seconds) = outcome
        found = ", ".join(f"{group} {cell.text}".strip() for group, cell in cells.items())
        return f"{case.name}: {found} ({seconds:.1f} s)"

    outcomes = solve_all(lambda case: (case, solve(arguments.program, case, arguments.keep)), cases, arguments.jobs,
                         text, lambda _: True)
    cells = [cell for _, (found, _) in outcomes for cell in found.values()]
    off = [f"{case.name}: {group}" for case, (found, _) in outcomes for group, cell in found.items() if cell.is_off]
    spans = [cell.decades for cell in cells if cell.decades > 0.0]
    print(f"\n{len(cells)} derivatives, {sum(c.text == 'exact' for c in cells)} exact, "
          f"{sum(c.text == 'none' for c in cells)} without influence, {len(off)} off")
    if spans:
        print(f"decades of changes above rounding: {min(spans):.1f} to {max(spans):.1f}, "
              f"mean {statistics.mean(spans):.1f}")
    for name in off:
        print(f"off: {name}")
    if arguments.write:
        rows = [row_of(case, found) for case, (found, _) in outcomes]
        write_between_markers(PAGE, "taylor", page_of(rows, len(cells), len(off)))
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
