#!/usr/bin/env python3
"""Random closed-form physics at default settings: `./dev bench physics`.

Draws cases of every kind (sliding, rolling, stacks, hinges, elastic blocks, ...) with random sizes, materials, steps,
integrators and bystanders, runs them at otherwise default settings, and compares with theory. The kinds and their
theories are the functions in scripts/physics/. A case is *resolved* if the step, the number of steps and the strain
under its own weight imply that the result must match theory (each kind states its needs). Verdicts:

  ok      within 3 % (6 % where gaps between surfaces enter, or as the kind says)
  warned  off, but summary.json lists a warning or a step did not converge
  WRONG   off, without a warning
  error   the program refused the scene, failed, or took too long

Goal: 99 % of the resolved cases ok, none of any case WRONG. A case is named KIND-NUMBER and depends on --seed and this
name only; --case runs it alone.
"""

import argparse
import itertools
import json
import math
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench_common import is_missing, solve_all, table
from physics import blocks, elastic, motion
from physics.case import G, Draw
from physics.peers import ENGINES, run_peer
from physics.results import Run

KINDS = {kind.__name__: kind for module in (blocks, motion, elastic) for kind in module.KINDS}

SLOW = ("hertz",)


@dataclass
class Outcome:
    name: str
    verdict: str
    resolved: bool
    unresolved: list
    parameters: dict
    checks: list = field(default_factory=list)
    warnings: list = field(default_factory=list)
    message: str = ""
    seconds: float = 0.0
    peers: dict = field(default_factory=dict)  # checks by the name of the engine; None if it failed

    def kind(self):
        return self.name.rsplit("-", 1)[0]

    def worst(self):
        """Returns the check that is farthest beyond its tolerance."""
        return max(self.checks, key=lambda c: c.error / (c.tolerance or 1e-3), default=None)


def draw_case(seed, name, integrator=None):
    kind, number = name.rsplit("-", 1)
    return KINDS[kind](Draw(seed, kind, int(number), integrator))


def case_names(options):
    """Returns the kinds in turn, so that any count has about as many of each; slow ones come only every third time."""
    if options.case:
        return options.case
    kinds = options.only or list(KINDS)
    turns = (f"{kind}-{n // 3 if kind in SLOW and not options.only else n}" for n in itertools.count() for kind in kinds
             if options.only or kind not in SLOW or n % 3 == 0)
    return list(itertools.islice(turns, options.count))


# --- one case ---


def careful(case):
    """Returns the scene with contact, friction and tolerances of a careful user, scaled to the size of the case."""
    size = case.parameters["size"]
    speed = math.sqrt(G * size)
    return case.scene | {
        "contact": {"dhat": 1e-4 * size, "dhat_is_absolute": True},
        "friction": {**case.scene.get("friction", {}), "eps_v": 1e-4 * speed, "eps_v_is_absolute": True,
                     "iterations": 0},
        "solver": {"tolerance": 1e-7 * speed, "tolerance_is_absolute": True}}


def run_program(options, case, folder, results):
    """Runs the program; returns what went wrong, or "" if the run ended as it should."""
    path = folder / "scene.json"
    scene = careful(case) if options.careful else case.scene
    path.write_text(json.dumps(scene, indent=1))
    for file_name, text in case.files.items():
        (folder / file_name).write_text(text)
    command = [str(options.program), "run", str(path), "-o", str(results), "--threads", "1", "-q"]
    try:
        process = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 timeout=options.seconds)
    except subprocess.TimeoutExpired:
        return f"no end in {options.seconds:g} s"
    if process.returncode != 0:
        lines = [line.strip() for line in process.stderr.splitlines() if line.strip()]
        return f"exit {process.returncode}: {' '.join(lines)[:200].replace(str(folder) + '/', '')}"
    return ""


def judge(options, name):
    """Runs one case in a folder of its own and gives the verdict."""
    case = draw_case(options.seed, name, options.integrator)
    outcome = Outcome(name, "error", not case.unresolved, case.unresolved, case.parameters)
    with tempfile.TemporaryDirectory(prefix="physics-") as temporary:
        folder = options.keep / name if options.keep else Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        start = time.time()
        outcome.message = run_program(options, case, folder, Path(temporary) / "out")
        outcome.seconds = time.time() - start
        if not outcome.message:
            try:
                measure(case, Path(temporary) / "out", outcome)
            except (ArithmeticError, LookupError, ValueError) as problem:
                outcome.message = f"no measurement: {problem!r}"
    if case.peer and options.peers:
        outcome.peers = {engine: run_peer(options.peers / program, case, options.seconds)
                         for engine, program in ENGINES.items()}
    return outcome


def measure(case, folder, outcome):
    run = Run(folder, case.scene)
    outcome.warnings = run.warnings
    if run.num_unconverged:
        outcome.warnings = [*outcome.warnings, f"{run.num_unconverged} steps not converged"]
    outcome.checks = case.measure(run)
    is_ok = all(check.is_ok() for check in outcome.checks)
    outcome.verdict = "ok" if is_ok else "warned" if outcome.warnings else "WRONG"


# --- report ---


def check_text(check):
    return (f"{check.name} {check.value:.5g}, theory {check.expected:.5g}, off {100 * check.error:.3g} % "
            f"(allowed {100 * check.tolerance:.3g} %)")


def outcome_text(outcome):
    parameters = " ".join(f"{k}={v}" for k, v in outcome.parameters.items())
    worst = outcome.worst()
    state = "resolved" if outcome.resolved else "unresolved: " + ", ".join(outcome.unresolved)
    lines = [f"{outcome.verdict:6} {outcome.name} ({state})",
             "       " + (check_text(worst) if worst else outcome.message), "       " + parameters]
    if outcome.warnings:
        lines.append("       warnings: " + ", ".join(outcome.warnings))
    return "\n".join(lines)


def counts(outcomes):
    return [str(sum(o.verdict == verdict for o in outcomes)) for verdict in ("ok", "warned", "WRONG", "error")]


def largest_error(outcomes):
    """Returns the largest error of checks with a theory of their own; a value that should be zero counts in the list
    of wrong cases only."""
    errors = [c.error for o in outcomes for c in o.checks if c.expected != 0 and c.tolerance > 0]
    return f"{100 * max(errors):.3g} %" if errors else "-"


def report(outcomes):
    """Prints a line per kind, resolved cases apart from the others, and the totals beside the goal."""
    header = ["kind", "resolved", "ok", "warned", "WRONG", "error", "largest", "unresolved", "ok", "warned", "WRONG",
              "error", "false alarms", "s a case"]
    rows = []
    for kind in [*KINDS, "all"]:
        own = [o for o in outcomes if kind in (o.kind(), "all")]
        if not own:
            continue
        good, rest = [o for o in own if o.resolved], [o for o in own if not o.resolved]
        alarms = sum(o.verdict == "ok" and bool(o.warnings) for o in own)
        seconds = sum(o.seconds for o in own) / len(own)
        rows.append([kind, str(len(good)), *counts(good), largest_error(good), str(len(rest)), *counts(rest),
                     str(alarms), f"{seconds:.2f}"])
    text = table(header, rows)
    good = [o for o in outcomes if o.resolved]
    text += "\n" + report_integrators(outcomes)
    share = 100 * sum(o.verdict == "ok" for o in good) / max(1, len(good))
    wrong = sum(o.verdict == "WRONG" for o in outcomes)
    return text + (f"\nResolved cases that are ok: {share:.1f} % (goal: 99 %). "
                   f"Wrong and silent: {wrong} of {len(outcomes)} (goal: none).\n")


def report_integrators(outcomes):
    """Prints a line per integrator; Newmark's is no goal, because it makes energy in contact."""
    rows = []
    for name in dict.fromkeys(o.parameters.get("integrator", "") for o in outcomes):
        own = [o for o in outcomes if o.parameters.get("integrator", "") == name]
        good = [o for o in own if o.resolved]
        alarms = sum(o.verdict == "ok" and bool(o.warnings) for o in own)
        rows.append([name or "default", str(len(good)), *counts(good), str(len(own) - len(good)), str(alarms)])
    return table(["integrator", "resolved", "ok", "warned", "WRONG", "error", "unresolved", "false alarms"], rows)


def middle_error(checks_of_cases):
    """Returns the median of the largest errors of cases, and how many cases are ok; a failure is an infinite error."""
    errors = sorted(max((c.error for c in checks), default=0) if checks else math.inf for checks in checks_of_cases)
    num_ok = sum(checks is not None and bool(checks) and all(c.is_ok() for c in checks) for checks in checks_of_cases)
    middle = errors[len(errors) // 2]
    return f"{num_ok} ok, " + (f"{100 * middle:.2g} %" if middle < math.inf else "failed")


def report_peers(outcomes):
    """Prints resolved rigid cases that the other engines can express: how many are ok in each, and the median of the
    errors."""
    rows = []
    for kind in [*KINDS, "all"]:
        own = [o for o in outcomes if o.peers and o.resolved and kind in (o.kind(), "all")]
        if own:
            rows.append([kind, str(len(own)), middle_error([o.checks for o in own]),
                         *(middle_error([o.peers[e] for o in own]) for e in ENGINES)])
    return table(["kind", "cases", "Clearance", *ENGINES], rows) if rows else ""


def as_json(outcomes, options):
    return json.dumps({"seed": options.seed,
                       "cases": [asdict(o) | {"error": o.worst().error if o.worst() else None}
                                 for o in outcomes]}, indent=1)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("build/native/bin/clearance"))
    parser.add_argument("--peers", type=Path,
                        help="folder of the programs bullet_motion and mujoco_motion; without it only Clearance runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400, help="number of cases (default 400)")
    parser.add_argument("--only", action="append", metavar="KIND", choices=list(KINDS),
                        help="only this kind; may be repeated")
    parser.add_argument("--integrator", help="this one for all cases; without it each draws its own")
    parser.add_argument("--case", action="append", metavar="KIND-NUMBER", help="only this case; may be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time (default 1)")
    parser.add_argument("--seconds", type=float, default=20, help="for one case (default 20)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="store all outcomes")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the scene files, one folder a case")
    parser.add_argument("--careful", action="store_true",
                        help="settings of contact, friction and solver scaled to each case, to tell "
                        "errors of the defaults from those of method or theory")
    parser.add_argument("--verbose", action="store_true", help="print every case, not only those that are off")
    return parser.parse_args()


def main():
    options = parse()
    if is_missing(options.program):
        return 1
    outcomes = solve_all(
        lambda name: judge(options, name), case_names(options), options.jobs, outcome_text,
        lambda outcome: options.verbose or options.case or outcome.verdict in ("WRONG", "error"))
    print("\n" + report(outcomes))
    if options.peers:
        print("Rigid bodies beside other engines: resolved cases that are ok, the middle of the errors of all\n")
        print(report_peers(outcomes))
    print(f"One case again: ./dev bench physics --seed {options.seed} --case KIND-NUMBER")
    if options.json:
        options.json.write_text(as_json(outcomes, options))
    return 1 if any(o.verdict in ("WRONG", "error") for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
