#!/usr/bin/env python3
"""Derivatives against theory: `./dev bench derivatives [--cases FILE]`.

Makes the scene of each case of a file of the form of ../shared/checks/diff_cases.json from the case's parameters, runs
`clearance gradient`, and prints each value and derivative beside the expected one. Derivatives by the parameters of a
case are sums over the numbers of its scene. Exit status 1 if a number is off.

  OK           value and derivative are as near as the case asks for
  OFF          one of them is not, or the run failed
  not reached  physics has another derivative, because the scheme does not see the time of an impact move; right only
               with the warning of the program, else OFF
  not done     no scene shows this number, for the reason that is printed

With --reverse, all these runs are also differentiated in reverse mode, by Python, and compared: the two modes differ by
at most 1e-10, or by what the last digits of the scene's numbers do to them, which is printed.

With --cost, six scenes are run, recorded and differentiated in reverse mode instead: times beside the run, and memory
beside a budget. The backward pass may take 15 % of a run whose steps take 8 iterations or more, else 1.3 iterations.

Where the continuum is the limit of short steps, steps are 4 to 10 times as short as the case says.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from bench_common import ROOT, is_missing
from derivatives import bars, contacts, cost, elements, flight, impacts, solids
from derivatives.gradient import IMPACT, Failed, NotDone, Program, parameters_of
from derivatives.number import value_of
from derivatives.reverse import compare

CASES = {**flight.CASES, **bars.CASES, **elements.CASES, **contacts.CASES, **impacts.CASES, **solids.CASES}
# Rows beyond the list of results, of numbers that a case has elsewhere.
MORE_ROWS = {"D05": impacts.rows_of_own_law, "D20": contacts.without_friction_coefficient,
             "D26": impacts.start_of_struck}
# Rows of a scheme that the program does not have.
OTHER_SCHEMES = {("D05", "implicit_euler + Moreau"): impacts.OTHER_LAW}
# Cases that compare other numbers than derivatives.
CHECKS = {"D25": flight.identification}
NOT_DONE = {"D22": "a kernel: no scene has the forces of one pair of edges alone, node by node"}
HEADER = (f"{'case':4} {'of':10} {'by':7} {'scheme':22} {'value':>15} {'expected':>15} {'error':>9} "
          f"{'derivative':>15} {'expected':>15} {'error':>9} {'allowed':>9}  verdict")


def error_of(found, expected, absolute):
    """Returns the relative error; the share of an absolute tolerance counts where that is what a row has."""
    if absolute is not None:
        return abs(found - expected)
    return abs(found - expected) / abs(expected) if expected else abs(found)


def is_beside_impact(row):
    """True for derivatives that the scheme cannot reach, because the time of the impact counts."""
    return row.get("use", "").startswith("what physics has")


class Table:
    def __init__(self):
        self.counts = {}
        self.off = []

    def add(self, case_id, row, verdict, found=None, note=""):
        """Prints a row, with what was found if anything was."""
        kind = verdict.split(":")[0]
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind == "OFF":
            self.off.append(f"{case_id} d {row['of']} / d {row['by']}")
        numbers = [None] * 7
        if found is not None:
            value, derivative = found
            absolute = row.get("absolute_tolerance")
            numbers = [value, row["value"], error_of(value, row["value"], None), derivative, row["derivative"],
                       error_of(derivative, row["derivative"], absolute), absolute or row["relative_tolerance"]]
        widths = (15, 15, 9, 15, 15, 9, 9)
        digits = (9, 9, 2, 9, 9, 2, 2)
        texts = [f"{'':{w}}" if n is None else f"{n:{w}.{d}g}" for n, w, d in zip(numbers, widths, digits)]
        print(f"{case_id:4} {row['of']:10} {row['by']:7} {row['scheme'][:22]:22} {' '.join(texts)}  {verdict}"
              f"{': ' + note if note else ''}", flush=True)


def judge(row, value, derivative, warnings):
    """Returns the verdict on a row."""
    value_error = error_of(value, row["value"], None)
    error = error_of(derivative, row["derivative"], row.get("absolute_tolerance"))
    allowed = row.get("absolute_tolerance", row["relative_tolerance"])
    if value_error <= row["relative_tolerance"] and error <= allowed:
        return "OK"
    if is_beside_impact(row):
        return "not reached" if IMPACT in warnings else f"OFF: not reached, and without the warning {IMPACT}"
    return "OFF: the value is" if value_error > row["relative_tolerance"] else "OFF"


def solve_case(case, program, table):
    case_id = case["id"]
    rows = case["results"] + MORE_ROWS.get(case_id, lambda _: [])(case)
    parameters = parameters_of(case, {row["by"] for row in rows})
    problems = {}
    for row in rows:
        if (case_id, row["scheme"]) in OTHER_SCHEMES:
            table.add(case_id, row, "not done", note=OTHER_SCHEMES[case_id, row["scheme"]])
            continue
        key = (row["scheme"].split(" ")[0], row["of"])
        try:
            if key not in problems:
                problems[key] = CASES[case_id](parameters, *key, case)
            problem = problems[key]
            run = program.gradient(problem.scene, problem.steps, problem.files, case_id)
            found = problem.measure(run)
        except NotDone as reason:
            table.add(case_id, row, "not done", note=str(reason))
        except Failed as failure:
            table.add(case_id, row, "OFF", note=str(failure))
        else:
            value, derivative = value_of(found), found.derivative(row["by"])
            table.add(case_id, row, judge(row, value, derivative, run.warnings), (value, derivative))


def solve_checks(case, program, table):
    """Compares numbers that are no derivatives; they are printed as values."""
    try:
        checks = CHECKS[case["id"]](program, case)
    except Failed as failure:
        table.add(case["id"], {"of": "all", "by": "", "scheme": ""}, "OFF", note=str(failure))
        return
    for name, found, expected, tolerance in checks:
        error = error_of(found, expected, None)
        verdict = "OK" if error <= tolerance else "OFF"
        table.counts[verdict] = table.counts.get(verdict, 0) + 1
        if verdict == "OFF":
            table.off.append(f"{case['id']} {name}")
        numbers = f"{found:15.9g} {expected:15.9g} {error:9.2g} {'':41} {tolerance:9.2g}"
        print(f"{case['id']:4} {name:41} {numbers}  {verdict}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/clearance")
    parser.add_argument("--cases", type=Path, default=ROOT.parent / "shared" / "checks" / "diff_cases.json")
    parser.add_argument("--only", help="run the cases whose id contains this")
    parser.add_argument("--keep", type=Path, help="keep scenes, commands and results in this folder")
    parser.add_argument("--reverse", action="store_true", help="compare reverse with forward mode on all scenes")
    parser.add_argument("--cost", action="store_true", help="measure times and memory of reverse mode instead")
    arguments = parser.parse_args()
    if arguments.cost:
        return cost.bench(arguments.only)
    if is_missing(arguments.program):
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        if arguments.reverse and not arguments.keep:
            arguments.keep = Path(temporary)
        return solve_all(arguments)


def solve_all(arguments):
    program, table = Program(arguments.program, arguments.keep), Table()
    print(HEADER)
    for case in json.loads(arguments.cases.read_text())["cases"]:
        if arguments.only and arguments.only not in case["id"]:
            continue
        if case["id"] in CHECKS:
            solve_checks(case, program, table)
        elif case["id"] in CASES:
            solve_case(case, program, table)
        else:
            reason = NOT_DONE.get(case["id"], "no scene is known for it")
            table.add(case["id"], {"of": "", "by": "", "scheme": ""}, "not done", note=reason)
    print("\n" + ", ".join(f"{count} {kind}" for kind, count in table.counts.items()))
    if arguments.reverse:
        print("\nreverse mode beside forward mode")
        for folder in sorted(arguments.keep.glob("*-*")):
            if not compare(folder):
                table.off.append(f"{folder.name} in reverse mode")
    if table.off:
        print("off: " + ", ".join(table.off))
    return 1 if table.off else 0


if __name__ == "__main__":
    sys.exit(main())
