#!/usr/bin/env python3
"""The eleven published optimisation files of `diff-ipc`: `./dev bench plans [OPTION]...`.

Each plan has two parts. The gradient at the start of the authors is compared with central differences of whole runs
(`clearance optimise PLAN --check`), and the objective is minimised with the settings of the file. Results are kept in
a folder: a part that has ended is not run again, and a search goes on where its time was over.

  unknowns   number of parameters in the file
  gradient   largest difference between the derivative along a direction and that of runs, as a share of the largest
             derivative of all directions; "known to": how far the differences of runs can be trusted, likewise
  objective  sum of the functionals at the start, the lowest value so far, and the number of forward runs until it
  end        why the search ended; "time": it has not, and goes on in the next slice

Exit status 1 if a gradient differs by more than 1e-5.
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench_common import ROOT, busy_percent, is_missing, peer_data, run_limited, table, write_between_markers

PAGE = ROOT / "docs" / "derivatives.md"
AGREEMENT = 1e-5
# Numbers of runs that have a column in the table of curves.
SHOWN_RUNS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50]
PARTS = ["check", "search"]


@dataclass
class Plan:
    """A published file. `known`: what the authors give for the objective. `short`: changes of the scenes for the check,
    where a whole run is too long for it, and their meaning."""
    name: str
    folder: str
    unknowns: str
    known: str
    short: tuple = ()
    meaning: str = "all steps"


PLANS = [
    Plan("1 bunnies", "fig1_bunnies", "velocity of a body (3)", "stops where both parts are below 0.005",
         ("time.duration=0.5",), "10 of 40 steps"),
    Plan("6 bridge", "fig6_static_bridge", "2636 vertices (5272)", ""),
    Plan("7 beam", "fig7_beam", "2006 vertices (6018)", ""),
    Plan("9 hook", "fig9_hook", "181 vertices (362)", ""),
    Plan("14 puzzle piece", "fig14_puzzle_piece", "velocities of two bodies (4)", "0 at (2, 1) m/s; stops at 0.1"),
    Plan("15 tentacles", "fig15_tentacles", "velocity of a body (3)", "", ("time.duration=0.12",), "24 of 100 steps"),
    Plan("17 material bridge", "fig17_material_bridge", "34489 elements (68978)", "0 at the target's materials"),
    Plan("18 cube", "fig18_static_cube", "Lame's parameters (2)", ""),
    Plan("19 lattice", "fig19_static_microstructure", "E and nu of a body (2)", ""),
    Plan("20 kangaroo", "fig20_kangaroo", "Lame's parameters of two bodies (4)",
         "0 at the target's materials; stops at 0.01"),
    Plan("22 bouncing ball", "fig22_bounce_ball", "1241 elements (2482)", ""),
]


def file_of(plan):
    return peer_data() / "diff-ipc" / "json_scripts" / plan.folder / "opt.json"


def add_to(path, **numbers):
    """Adds numbers to those of a file, and replaces what is no number."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    for key, value in numbers.items():
        kept[key] = kept.get(key, 0.0) + value if isinstance(value, float) else value
    path.write_text(json.dumps(kept, indent=1) + "\n")
    return kept


def check(program, plan, folder, limit, threads):
    """Compares the gradient at the start with differences of runs. A check that does not end within its time begins
    anew, with more of it, in the next slice."""
    result = folder / "check.json"
    if result.exists():
        return
    command = [program, "optimise", file_of(plan), "--check", "--json", "--threads", threads]
    for change in plan.short:
        command += ["--set", change]
    text = folder / "check.txt"
    with text.open("w", encoding="utf-8") as output:
        run = run_limited(command, limit, stdout=output)
    problem = " ".join(run["notes"])[:300]
    try:
        found = json.loads(text.read_text())
    except ValueError:
        found = {}
    text.unlink()
    if "check" not in found:
        problem = problem or json.dumps(found)[:300]
        print(f"{plan.name}: no check, exit status {run['exit']}: {problem}", flush=True)
        (folder / "check_failed.json").write_text(json.dumps({"exit": run["exit"], "cpu": run["cpu"], "problem": problem}))
        return
    (folder / "check_failed.json").unlink(missing_ok=True)
    result.write_text(json.dumps({"check": found["check"], "cpu": run["cpu"], "steps": plan.meaning}, indent=1) + "\n")


def search(program, plan, folder, limit, threads):
    """Minimises the objective, or goes on with it."""
    output, measured = folder / "search", folder / "search.json"
    if measured.exists() and json.loads(measured.read_text()).get("has_ended"):
        return
    command = [program, "optimise", file_of(plan), "-o", output, "--json", "--threads", threads]
    if (output / "runs").exists():
        command.append("--resume")
    run = run_limited(command, limit)
    optimum = output / "optimum.json"
    problem = " ".join(run["notes"])[-300:] if run["exit"] not in (0, 3) else ""
    add_to(measured, cpu=run["cpu"], has_ended=optimum.exists(), exit=run["exit"], problem=problem)


def values_of(folder):
    """Returns the objective after each forward run; None where a run has no derivatives."""
    values = []
    while (path := folder / "search" / "runs" / f"{len(values) + 1:04d}.json").exists():
        forms = json.loads(path.read_text())["forms"]
        values.append(None if forms is None else sum(forms))
    return values


def number(x):
    return "-" if x is None else f"{x:.4g}"


def row_of_check(folder):
    """Returns the cells of a check, and whether the gradient is wrong."""
    path = folder / "check.json"
    if not path.exists():
        failed = folder / "check_failed.json"
        if failed.exists():
            found = json.loads(failed.read_text())
            why = "time" if found["exit"] in (124, 137, 143) else found["problem"][:120]
            return ["", "", "", f"{found['cpu']:.0f} ({why})"], False
        return ["", "", "", ""], False
    found = json.loads(path.read_text())
    worst, known = 0.0, 0.0
    for entry in found["check"]:
        if entry["difference"] is None:
            return ["no run beside the start", "", found["steps"], f"{found['cpu']:.0f}"], False
        # Numbers without effect have neither a derivative nor a difference.
        scale = entry["largest"] or 1.0
        worst = max(worst, abs(entry["derivative"] - entry["difference"]) / scale)
        known = max(known, entry["uncertainty"] / scale)
    is_wrong = worst > max(AGREEMENT, 3.0 * known)
    return [f"{worst:.0e}", f"{known:.0e}", found["steps"], f"{found['cpu']:.0f}"], is_wrong


def row_of_search(folder):
    values = values_of(folder)
    known = [v for v in values if v is not None]
    if not known:
        return ["", "", "", "", ""]
    measured = json.loads((folder / "search.json").read_text()) if (folder / "search.json").exists() else {}
    best = min(known)
    optimum = folder / "search" / "optimum.json"
    end = json.loads(optimum.read_text())["end"] if optimum.exists() else "time"
    return [number(known[0]), number(best), f"{values.index(best) + 1} of {len(values)}", end,
            f"{measured.get('cpu', 0.0):.0f}"]


def curve_of(plan, folder):
    """Returns the lowest objective after each shown number of runs."""
    values, cells, least = values_of(folder), [], None
    for count, value in enumerate(values, 1):
        if value is not None and (least is None or value < least):
            least = value
        if count in SHOWN_RUNS:
            cells.append(number(least))
    return [plan.name] + cells + [""] * (len(SHOWN_RUNS) - len(cells)) if values else None


def report(plans, results):
    """Returns the two tables, and the plans whose gradient is wrong."""
    rows, wrong = [], []
    for plan in plans:
        folder = results / plan.folder
        of_check, is_wrong = row_of_check(folder)
        if is_wrong:
            wrong.append(plan.name)
        rows.append([plan.name, plan.unknowns, *of_check, *row_of_search(folder), plan.known])
    text = table(["figure", "unknowns", "gradient", "known to", "over", "CPU s", "objective at the start", "lowest",
                  "in run", "end", "CPU s", "known of it"], rows)
    curves = [curve for plan in plans if (curve := curve_of(plan, results / plan.folder))]
    text += "\nLowest objective after so many forward runs:\n\n"
    return text + table(["figure", *map(str, SHOWN_RUNS)], curves), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/clearance")
    parser.add_argument("--only", default="", help="plans whose name holds this, or one of these with commas between")
    parser.add_argument("--part", choices=PARTS, help="check or search alone (default: both)")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each part of a plan (default 600)")
    parser.add_argument("--threads", type=int, default=1, help="threads of a run (default 1)")
    parser.add_argument("--results", type=Path, default=ROOT / "out" / "plans", help="folder of the results")
    parser.add_argument("--list", action="store_true", help="print the tables of what has been run, run nothing")
    parser.add_argument("--write", action="store_true", help=f"store the tables in {PAGE.relative_to(ROOT)}, run nothing")
    arguments = parser.parse_args()
    wanted = [plan for plan in PLANS if any(word in plan.name for word in arguments.only.split(","))]
    if not (arguments.list or arguments.write):
        if is_missing(arguments.program):
            return 2
        if not file_of(PLANS[0]).exists():
            print(f"no published files in {file_of(PLANS[0]).parent.parent}")
            return 2
        busy_percent()
        for plan in wanted:
            folder = arguments.results / plan.folder
            folder.mkdir(parents=True, exist_ok=True)
            for part, run in ((PARTS[0], check), (PARTS[1], search)):
                if arguments.part in (None, part):
                    begin = time.monotonic()
                    run(arguments.program, plan, folder, arguments.limit, arguments.threads)
                    print(f"{plan.name}, {part}: {time.monotonic() - begin:.0f} s", flush=True)
    text, wrong = report(PLANS if arguments.write else wanted, arguments.results)
    if arguments.write:
        write_between_markers(PAGE, "plans", text)
    else:
        print("\n" + text)
    for name in wrong:
        print(f"wrong gradient: {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
