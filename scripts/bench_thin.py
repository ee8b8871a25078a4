#!/usr/bin/env python3
"""Thin bodies against theory at default settings: `./dev bench thin [--cases FILE]`.

Runs the cases of a file of the form of ../shared/checks/thin_cases.json: rods, shells, membranes and contact, on two
families of meshes and two levels where the case is about the mesh. Prints each number beside the expected one and the
order at which the error falls from one level to the next. Exit status 1 if a number of the finer level is off by more
than the tolerance of its case.
"""

import argparse
import json
import math
import sys
from pathlib import Path

from bench_common import ROOT, is_missing
from thin import capstan, contacts, drape, patch, rods, shells, turned_rods
from thin.scene import Failed, Program

FAMILIES = ("grid", "unstructured")
RODS = {**rods.CASES, **turned_rods.CASES, **capstan.RODS}
SHEETS = {**shells.CASES, **capstan.SHEETS, **patch.SHEETS, **drape.SHEETS}


def runs_of(case_id):
    """Returns what to run for a case: (label, function of the program, p, e and the level)."""
    runs = []
    for cases, label in ((RODS, "rod"), (contacts.CASES, "")):
        if case_id in cases:
            solve, count = cases[case_id]
            runs.append((label, lambda program, p, e, level, solve=solve, count=count:
                         solve(program, p, e, count * level)))
    if case_id in SHEETS:
        solve, cells = SHEETS[case_id]
        for family in patch.FAMILIES if case_id in patch.SHEETS else FAMILIES:
            runs.append((family, lambda program, p, e, level, solve=solve, cells=cells, family=family:
                         solve(program, p, e, cells * level, family)))
    return runs


def error_of(value, expected, case):
    """Returns the error as the tolerance of the case counts it: of the number, of the length, or in whole."""
    tolerance = case["tolerance"]
    if "relative" in tolerance:
        return abs(value - expected) / abs(expected) if expected else abs(value)
    if "of_length" in tolerance:
        return abs(value - expected) / case["parameters"]["length"]
    return abs(value - expected) * (0.01 if "percentage_points" in tolerance else 1.0)


def tolerance_of(case, expected):
    """Returns the largest error; numbers other than 0 and 1 are given with six digits."""
    tolerance = case["tolerance"]
    largest = tolerance.get("relative", tolerance.get("of_length", tolerance.get("absolute")))
    if largest is None:
        largest = 0.01 * tolerance["percentage_points"]
    return largest + (2e-6 if expected not in (0.0, 1.0) else 0.0)


def solve_case(case, program, levels):
    is_right = True
    for label, solve in runs_of(case["id"]):
        results = []
        is_contact = case["id"] in contacts.CASES
        for level in (1,) if is_contact else levels:
            try:
                results.append(solve(program, case["parameters"], case["expected"], level))
            except Failed as failure:
                print(f"{case['id']:26} {label:12} FAILED: {failure}", flush=True)
                return False
        for name, (value, expected) in results[-1].items():
            error, tolerance = error_of(value, expected, case), tolerance_of(case, expected)
            order = ""
            if len(results) > 1 and error > 0.0:
                before = error_of(*results[-2][name], case)
                order = f"  order {math.log2(before / error):5.2f}" if before > 0.0 else ""
            verdict = "right" if error <= tolerance else "OFF"
            is_right = is_right and error <= tolerance
            print(f"{case['id']:26} {label:12} {name:22} {value:14.7g} of {expected:12.7g}  {100 * error:9.4f} %"
                  f"{order}  {verdict}", flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/clearance")
    parser.add_argument("--cases", type=Path, default=ROOT.parent / "shared" / "checks" / "thin_cases.json")
    parser.add_argument("--only", help="run the cases whose id contains this")
    parser.add_argument("--coarse", action="store_true", help="run the first level alone")
    arguments = parser.parse_args()
    if is_missing(arguments.program):
        return 2
    program = Program(str(arguments.program))
    right, off, missing = [], [], []
    for case in json.loads(arguments.cases.read_text())["cases"]:
        if arguments.only and arguments.only not in case["id"]:
            continue
        if not runs_of(case["id"]):
            missing.append(case["id"])
            continue
        (right if solve_case(case, program, (1,) if arguments.coarse else (1, 2)) else off).append(case["id"])
    print(f"\n{len(right)} right, {len(off)} off, {len(missing)} without a scene; {program.seconds:.0f} s of steps, "
          f"{program.iterations} iterations; told: {', '.join(sorted(program.told)) or 'nothing'}")
    if off:
        print("off: " + ", ".join(off))
    if missing:
        print("without a scene: " + ", ".join(missing))
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
