#!/usr/bin/env python3
"""The eleven published optimisation files of `diff-ipc`: `./dev bench diff-ipc [OPTION]...` (also `./dev bench plans`).

Each plan has two parts. The gradient at the start of the authors is compared with central differences of whole runs
(`clearance optimise PLAN --check`), and the objective is minimised with the settings of the file. Results are kept in
a folder: a part that has ended is not run again, and a search goes on where its time was over.

  scene      nodes of the mesh, order of elements, steps of a run
  parameters numbers that are searched
  gradient   largest difference between the derivative along a direction and that of runs, as a share of the largest
             derivative of all directions; "known to": how far the differences of runs can be trusted, likewise
  objective  sum of the functionals at the start, the lowest value so far, and the number of forward runs until it
  end        why the search ended; "time": it has not, and goes on in the next slice

Exit status 1 if a gradient differs by more than 1e-5.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

from bench_common import ROOT, busy_percent, is_missing, peer_data, run_limited, table, write_between_markers

PAGE = ROOT / "docs" / "derivatives.md"
STORE = ROOT / "docs" / "evidence" / "diff-ipc.json"
AGREEMENT = 1e-5
# Numbers of runs that have a column in the table of curves.
SHOWN_RUNS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50]
PARTS = ["check", "search"]


@dataclass
class Plan:
    """A published file. `known`: what the authors give for the objective. `settings`: changes of the scenes for both
    parts, where a whole run is too long for them; `order`: another order of the elements instead; `cells`: the mesh of
    that name, a cube of 10 units, is made anew with so many cells along a side; `short`: further settings for the check
    alone. `meaning` and `short_meaning` say what they mean."""
    name: str
    folder: str
    scene: str
    unknowns: str
    known: str = ""
    settings: tuple = ()
    order: int = 0
    cells: tuple = ()
    meaning: str = ""
    short: tuple = ()
    short_meaning: str = ""


PLANS = [
    Plan("1 bunnies", "fig1_bunnies", "2061, P1, 40", "3: velocity of a body", "stops where both parts are below 0.005",
         short=("time.duration=0.5",), short_meaning="10 of 40 steps"),
    Plan("6 bridge", "fig6_static_bridge", "4641, P2, static", "5272: 2636 vertices"),
    Plan("7 beam", "fig7_beam", "9939, P2, static", "6018: 2006 vertices",
         order=1, meaning="order 1"),
    Plan("9 hook", "fig9_hook", "1736, P2, static", "362: 181 vertices"),
    Plan("14 puzzle piece", "fig14_puzzle_piece", "370, P1, 30", "4: velocities of two bodies",
         "0 at (2, 1) m/s; stops at 0.1"),
    Plan("15 tentacles", "fig15_tentacles", "6896, P1, 100", "3: velocity of a body",
         short=("time.duration=0.12",), short_meaning="24 of 100 steps"),
    Plan("17 material bridge", "fig17_material_bridge", "18598, P1, static", "68978: lambda, mu of elements",
         "0 at the target's materials"),
    Plan("18 cube", "fig18_static_cube", "4631, P2, static", "2: Lame's parameters", cells=("grid2.msh", 10),
         meaning="6000 of 24000 tets"),
    Plan("19 lattice", "fig19_static_microstructure", "3268, P1, static", "2: E and nu of a body"),
    Plan("20 kangaroo", "fig20_kangaroo", "231, P1, 60", "4: Lame's parameters of two bodies",
         "0 at the target's materials; stops at 0.01"),
    Plan("22 bouncing ball", "fig22_bounce_ball", "720, P1, 30", "2482: lambda, mu of elements"),
]


def file_of(plan):
    return peer_data() / "diff-ipc" / "json_scripts" / plan.folder / "opt.json"


def write_cube(path, cells):
    """Writes a mesh (Gmsh 2.2) of the cube from 0 to 10 with 6 tetrahedra in each cell, whose diagonals all run alike."""
    side = cells + 1
    place = range(side)
    nodes = [(10.0 * x / cells, 10.0 * y / cells, 10.0 * z / cells) for z in place for y in place for x in place]
    tets = []
    for z in range(cells):
        for y in range(cells):
            for x in range(cells):
                for order in permutations(range(3)):
                    at, corners = [x, y, z], [[x, y, z]]
                    for axis in order:
                        at[axis] += 1
                        corners.append(list(at))
                    numbers = [1 + a + side * (b + side * c) for a, b, c in corners]
                    # A way along the axes in an odd order is a mirrored one.
                    if order in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
                        numbers[2], numbers[3] = numbers[3], numbers[2]
                    tets.append(numbers)
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes))]
    lines += [f"{n} {x:g} {y:g} {z:g}" for n, (x, y, z) in enumerate(nodes, 1)]
    lines += ["$EndNodes", "$Elements", str(len(tets))]
    lines += [f"{n} 4 2 1 1 {' '.join(map(str, tet))}" for n, tet in enumerate(tets, 1)]
    path.write_text("\n".join([*lines, "$EndElements", ""]))


def file_to_run(plan, folder):
    """Returns the published file, or one in a copy of its folder with fewer nodes."""
    if not plan.cells and not plan.order:
        return file_of(plan)
    copy = folder / "plan"
    if not (copy / "opt.json").exists():
        copy.mkdir(exist_ok=True)
        for path in file_of(plan).parent.iterdir():
            (copy / path.name).write_bytes(path.read_bytes())
        if plan.cells:
            write_cube(copy / plan.cells[0], plan.cells[1])
        for state in json.loads((copy / "opt.json").read_text())["states"] if plan.order else []:
            scene = json.loads((copy / state["path"]).read_text())
            scene["space"]["discr_order"] = plan.order
            (copy / state["path"]).write_text(json.dumps(scene, indent=1))
    return copy / "opt.json"


def add_to(path, **numbers):
    """Adds numbers to those of a file, and replaces what is no number."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    for key, value in numbers.items():
        kept[key] = kept.get(key, 0.0) + value if isinstance(value, float) else value
    path.write_text(json.dumps(kept, indent=1) + "\n")
    return kept


def with_settings(command, settings):
    for change in settings:
        command += ["--set", change]
    return command


def check(program, plan, folder, limit, threads):
    """Compares the gradient at the start with differences of runs. A check that does not end within its time begins
    anew, with more of it, in the next slice."""
    result = folder / "check.json"
    if result.exists():
        return
    command = [program, "optimise", file_to_run(plan, folder), "--check", "--json", "--threads", threads]
    text = folder / "check.txt"
    with text.open("w", encoding="utf-8") as output:
        run = run_limited(with_settings(command, plan.settings + plan.short), limit, stdout=output)
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
    over = ", ".join(filter(None, [plan.meaning, plan.short_meaning])) or "all"
    result.write_text(json.dumps({"check": found["check"], "cpu": run["cpu"], "over": over}, indent=1) + "\n")


def run_iterations(command, limit, table_of_iterates, most):
    """Runs a search for `limit` seconds, or until the table has `most` iterates beyond the start. Returns the exit
    status, the CPU seconds and the messages."""
    begin, process, usage = time.monotonic(), None, None
    with tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=messages)
        asked, status = None, 0
        while True:
            found, status, usage = os.wait4(process.pid, os.WNOHANG)
            if found:
                break
            now = time.monotonic()
            iterates = table_of_iterates.read_text().count("\n") - 2 if table_of_iterates.exists() else 0
            if asked is None and (now - begin > limit or (most and iterates >= most)):
                process.send_signal(signal.SIGINT)
                asked = now
            elif asked is not None and now - asked > 60.0:
                process.kill()
            time.sleep(0.1)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        notes = [line.strip() for line in messages if line.strip()]
    return {"exit": process.returncode, "cpu": usage.ru_utime + usage.ru_stime, "notes": notes}


def search(program, plan, folder, limit, threads, most):
    """Minimises the objective, or goes on with it."""
    output, measured = folder / "search", folder / "search.json"
    if measured.exists() and json.loads(measured.read_text()).get("has_ended"):
        return
    command = [program, "optimise", file_to_run(plan, folder), "-o", output, "--json", "--threads", threads]
    if (output / "runs").exists():
        command.append("--resume")
    run = run_iterations(with_settings(command, plan.settings), limit, output / "iterates.csv", most)
    problem = " ".join(run["notes"])[-300:] if run["exit"] not in (0, 3, 130) or not values_in(output) else ""
    add_to(measured, cpu=run["cpu"], has_ended=(output / "optimum.json").exists(), exit=run["exit"], problem=problem)


def values_in(output):
    """Returns the objective after each forward run; None where a run has no derivatives."""
    values = []
    while (path := output / "runs" / f"{len(values) + 1:04d}.json").exists():
        forms = json.loads(path.read_text())["forms"]
        values.append(None if forms is None else sum(forms))
    return values


def summary_of_check(found):
    """Returns the largest error of a check and how far its differences are known, as shares of the largest derivative;
    None for both if a run beside the start has failed."""
    worst, known = 0.0, 0.0
    for entry in found["check"]:
        if entry["difference"] is None:
            worst, known = None, None
            break
        # Numbers without effect have neither a derivative nor a difference.
        scale = entry["largest"] or 1.0
        worst = max(worst, abs(entry["derivative"] - entry["difference"]) / scale)
        known = max(known, entry["uncertainty"] / scale)
    return {"worst": worst, "known": known, "over": found["over"], "cpu": found["cpu"]}


def summary_of_search(plan, folder):
    """Returns the objective at the start and at its lowest, and the lowest after each shown number of runs."""
    path, optimum = folder / "search.json", folder / "search" / "optimum.json"
    measured = json.loads(path.read_text()) if path.exists() else {}
    values, curve, least = values_in(folder / "search"), {}, None
    found = {"cpu": measured.get("cpu", 0.0), "over": plan.meaning or "all", "problem": measured.get("problem", "")}
    for count, value in enumerate(values, 1):
        if value is not None and (least is None or value < least):
            least = value
        if count in SHOWN_RUNS:
            curve[str(count)] = least
    if least is not None:
        end = json.loads(optimum.read_text())["end"] if optimum.exists() else "time"
        found.update(start=next(v for v in values if v is not None), lowest=least, in_run=values.index(least) + 1,
                     runs=len(values), end=end, curve=curve)
    return found


def results_of(plan, folder):
    """Returns what has been found for a plan, as it is stored."""
    found = {"plan": plan.name}
    if (folder / "check.json").exists():
        found["check"] = summary_of_check(json.loads((folder / "check.json").read_text()))
    elif (folder / "check_failed.json").exists():
        found["check_failed"] = json.loads((folder / "check_failed.json").read_text())
    if (folder / "search.json").exists():
        found["search"] = summary_of_search(plan, folder)
    return found


def number(x):
    return "-" if x is None else f"{x:.4g}"


def cells_of_check(found):
    """Returns the cells of a check, and whether the gradient is wrong."""
    if "check" not in found:
        failed = found.get("check_failed")
        if failed is None:
            return ["", "", "", ""], False
        is_over = failed["exit"] in (124, 137, 143)
        return ["time" if is_over else failed["problem"][:160], "", "", f"{failed['cpu']:.0f}"], False
    check_of = found["check"]
    worst, known, cpu = check_of["worst"], check_of["known"], f"{check_of['cpu']:.0f}"
    if worst is None:
        return ["no run beside the start", "", check_of["over"], cpu], False
    is_wrong = worst > max(AGREEMENT, 3.0 * known)
    return [f"{worst:.0e}", f"{known:.0e}", check_of["over"], cpu], is_wrong


def cells_of_search(found):
    searched = found.get("search")
    if searched is None:
        return [""] * 6
    if "lowest" not in searched:
        return [searched["problem"][:160], "", "", searched["over"], "", f"{searched['cpu']:.0f}"]
    return [number(searched["start"]), number(searched["lowest"]), f"{searched['in_run']} of {searched['runs']}",
            searched["over"], searched["end"], f"{searched['cpu']:.0f}"]


def curve_of(found):
    """Returns the lowest objective after each shown number of runs."""
    curve = found.get("search", {}).get("curve", {})
    cells = [number(curve[str(count)]) if str(count) in curve else "" for count in SHOWN_RUNS]
    return [found["plan"]] + cells if curve else None


def report(plans, results):
    """Returns the two tables of the results by plan, and the plans whose gradient is wrong."""
    rows, wrong = [], []
    for plan in plans:
        found = results.get(plan.name, {})
        of_check, is_wrong = cells_of_check(found)
        if is_wrong:
            wrong.append(plan.name)
        rows.append([plan.name, plan.scene, plan.unknowns, *of_check, *cells_of_search(found), plan.known])
    text = table(["figure", "nodes, order, steps", "parameters", "error of gradient", "known to", "over", "CPU s",
                  "objective at the start", "lowest", "in run", "over", "end", "CPU s", "known of it"], rows)
    curves = [curve for plan in plans if plan.name in results and (curve := curve_of(results[plan.name]))]
    text += "\nLowest objective after so many forward runs:\n\n"
    return text + table(["figure", *map(str, SHOWN_RUNS)], curves), wrong


def stored():
    """Returns the stored results by plan."""
    return {found["plan"]: found for found in json.loads(STORE.read_text())} if STORE.exists() else {}


def write(results):
    """Stores results beside those of plans that have not been run here, and the tables of all."""
    kept = stored()
    for name, found in results.items():
        kept[name] = {**kept.get(name, {}), **found}
        if "check" in found:
            kept[name].pop("check_failed", None)
    ordered = [kept[plan.name] for plan in PLANS if plan.name in kept]
    STORE.write_text("[\n" + ",\n".join(json.dumps(found) for found in ordered) + "\n]\n")
    text, wrong = report(PLANS, kept)
    write_between_markers(PAGE, "plans", text)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/clearance")
    parser.add_argument("--only", "--scene", default="", help="plans whose name holds this, or one of these with commas between")
    parser.add_argument("--whole", action="store_true", help="all plans as they are, even if that takes hours")
    parser.add_argument("--part", choices=PARTS, help="check or search alone (default: both)")
    parser.add_argument("--iterations", type=int, default=0, help="iterations of a search (default: those of the file)")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each part of a plan (default 600)")
    parser.add_argument("--threads", type=int, default=1, help="threads of a run (default 1)")
    parser.add_argument("--results", type=Path, default=ROOT / "out" / "plans", help="folder of the results")
    parser.add_argument("--list", action="store_true", help="print the tables of what has been run, run nothing")
    parser.add_argument("--write", action="store_true", help=f"store the results in {STORE.relative_to(ROOT)} and the "
                        f"tables in {PAGE.relative_to(ROOT)}, run nothing")
    arguments = parser.parse_args()
    wanted = [plan for plan in PLANS if any(word in plan.name for word in arguments.only.split(","))]
    if arguments.whole:
        wanted = [replace(plan, settings=(), order=0, cells=(), meaning="", short=(), short_meaning="") for plan in wanted]
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
            common = (arguments.program, plan, folder, arguments.limit, arguments.threads)
            for part in PARTS:
                if arguments.part not in (None, part):
                    continue
                begin = time.monotonic()
                if part == "check":
                    check(*common)
                else:
                    search(*common, arguments.iterations)
                print(f"{plan.name}, {part}: {time.monotonic() - begin:.0f} s", flush=True)
    results = {plan.name: results_of(plan, arguments.results / plan.folder) for plan in wanted
               if (arguments.results / plan.folder).exists()}
    if arguments.write:
        wrong = write(results)
    else:
        text, wrong = report(wanted, results)
        print("\n" + text)
    for name in wrong:
        print(f"wrong gradient: {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
