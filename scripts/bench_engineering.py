#!/usr/bin/env python3
"""Random engineering problems at default settings: `./dev bench engineering`.

Draws problems of every kind (beams, columns, fits, pads, slopes, impacts, ...) with random sizes, materials, meshes and
steps, runs them at otherwise default settings, and compares one number of each with theory, or the worst of several
that its probes are read for. The kinds and theories are the functions in scripts/engineering/. Verdicts:

  right    the number is off by less than 5 % (10 % in the peak force of an impact)
  told     it is not, but a warning that fits the cause or a status of a step says so
  WRONG    it is not, and nothing says so
  NO END   more than --seconds of a processor
  refused  the program refused the scene, or failed

A right number is *needless* if it is off by less than 2 % and one of coarse_elements, contact_gap, impact_unresolved,
energy_lost, no_equilibrium and large_rotation was told. A problem depends on its seed only; --only SEED runs it again.
"""

import argparse
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench_common import is_missing, solve_all, table
from engineering import beams, contacts, motions
from engineering.draw import Draw
from engineering.run import Run, names_told, statuses_told

KINDS = [kind for module in (beams, contacts, motions) for kind in module.KINDS]
VERDICTS = ("right", "told", "WRONG", "NO END", "refused")
SURELY_RIGHT = 0.02
NEEDLESS = ("coarse_elements", "contact_gap", "impact_unresolved", "energy_lost", "no_equilibrium", "large_rotation")


@dataclass
class Outcome:
    seed: int
    kind: str
    verdict: str = "refused"
    expected: float = math.nan
    value: float = math.nan
    error: float = math.nan
    told: list = field(default_factory=list)
    needless: list = field(default_factory=list)
    seconds: float = 0.0
    message: str = ""
    parameters: dict = field(default_factory=dict)


def kind_of(seed):
    return KINDS[seed % len(KINDS)]


def draw_problem(seed, is_fine):
    kind = kind_of(seed)
    return kind(Draw(seed, kind.__name__, is_fine))


def seeds(options):
    """Returns the seeds to run: every kind in turn."""
    if options.only:
        return options.only
    stop = 10**9 if options.kind else options.seed + options.count
    wanted = (s for s in range(options.seed, stop) if not options.kind or kind_of(s).__name__ in options.kind)
    return [seed for seed, _ in zip(wanted, range(options.count))]


# --- one problem ---


@dataclass
class Call:
    status: int | None  # None: the seconds were not enough
    output: str
    errors: str
    seconds: float  # of a processor


def call(command, seconds):
    """Runs a command for so many seconds of a processor at most."""
    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, preexec_fn=bound)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        has_ended = process.returncode not in (-signal.SIGXCPU, -signal.SIGKILL)
        return Call(process.returncode if has_ended else None, output.read(), errors.read(),
                    usage.ru_utime + usage.ru_stime)


def run_problem(options, problem, outcome, folder):
    """Writes the scene, checks and runs it, and judges."""
    scene, results = folder / "scene.json", folder / "out"
    scene.write_text(json.dumps(problem.scene, indent=1))
    checked = call([str(options.program), "check", str(scene), "--json"], options.seconds).output
    command = [str(options.program), "run", str(scene), "-o", str(results), "--threads", "1", "-q", "--overwrite"]
    ran = call(command, options.seconds)
    outcome.seconds = ran.seconds
    outcome.told = names_told(results, checked)
    if ran.status is None:
        outcome.verdict, outcome.message = "NO END", f"after {options.seconds:g} s of a processor"
    elif ran.status not in (0, 3):
        outcome.message = f"exit {ran.status}: {' '.join(ran.errors.split())[:300]}"
    else:
        judge(problem, outcome, results)


def measured(problem, outcome, results):
    """Returns the number; NaN if the results do not have it."""
    try:
        return problem.measure(Run(results))
    except (ArithmeticError, LookupError, OSError, ValueError) as problem_of_measuring:
        outcome.message = f"no number: {problem_of_measuring!r}"
        return math.nan


def judge(problem, outcome, results):
    """Judges by the number that is the farthest off, in tolerances."""
    numbers = [(one, measured(one, outcome, results)) for one in (problem, *problem.also)]
    worst, outcome.value = max(numbers, key=lambda n: (math.isnan(n[1]), n[0].error(n[1]) / n[0].tolerance))
    outcome.expected, outcome.error = worst.expected, worst.error(outcome.value)
    if outcome.error <= worst.tolerance:
        outcome.verdict = "right"
        if all(one.error(value) <= SURELY_RIGHT for one, value in numbers):
            outcome.needless = [name for name in outcome.told if name in NEEDLESS]
    else:
        fitting = [name for name in outcome.told if name in (*worst.doubts, *statuses_told(results))]
        outcome.verdict = "told" if fitting else "WRONG"


def solve(options, seed):
    """Returns the outcome of one problem."""
    outcome = Outcome(seed, kind_of(seed).__name__)
    problem = draw_problem(seed, options.fine)
    outcome.expected, outcome.parameters = problem.expected, problem.parameters
    with tempfile.TemporaryDirectory(prefix="engineering-") as temporary:
        folder = options.keep / f"{outcome.kind}-{seed}" if options.keep else Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        run_problem(options, problem, outcome, folder)
    return outcome


# --- report ---


def outcome_text(outcome):
    off = f"{outcome.value:.5g}, theory {outcome.expected:.5g}, off {100 * outcome.error:.3g} %"
    lines = [f"{outcome.verdict:7} {outcome.kind} --only {outcome.seed} ({outcome.seconds:.1f} s): "
             + (outcome.message or off)]
    lines.append("        " + " ".join(f"{k}={v}" for k, v in outcome.parameters.items()))
    if outcome.told:
        lines.append("        told: " + ", ".join(outcome.told))
    return "\n".join(lines)


def median_error(outcomes):
    errors = sorted(o.error for o in outcomes if not math.isnan(o.error))
    return f"{100 * errors[len(errors) // 2]:.2g} %" if errors else "-"


def table_row(name, outcomes):
    counts = [str(sum(o.verdict == verdict for o in outcomes)) for verdict in VERDICTS]
    needless = sum(bool(o.needless) for o in outcomes)
    seconds = sum(o.seconds for o in outcomes) / len(outcomes)
    return [name, str(len(outcomes)), *counts, str(needless), median_error(outcomes), f"{seconds:.1f}"]


def report(outcomes):
    """Prints a line per kind and the counts."""
    header = ["kind", "problems", *VERDICTS, "needless", "median error", "s a problem"]
    names = [kind.__name__ for kind in KINDS if any(o.kind == kind.__name__ for o in outcomes)]
    rows = [table_row(name, [o for o in outcomes if o.kind == name]) for name in names]
    text = table(header, [*rows, table_row("all", outcomes)])
    needless = [o for o in outcomes if o.needless]
    for name in NEEDLESS:
        told = [f"{o.kind} {o.seed}" for o in needless if name in o.needless]
        if told:
            text += f"\n{name} without need: {', '.join(told)}"
    counts = ", ".join(f"{sum(o.verdict == verdict for o in outcomes)} {verdict}" for verdict in VERDICTS)
    return text + f"\n{counts}, of {len(outcomes)}; {len(needless)} told without need\n"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("build/release/bin/clearance"))
    parser.add_argument("--count", type=int, default=100, help="number of problems (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the first problem; the others follow (default 1)")
    parser.add_argument("--seconds", type=float, default=60, help="of a processor for one problem (default 60)")
    parser.add_argument("--jobs", type=int, default=1, help="problems at a time (default 1)")
    parser.add_argument("--only", type=int, action="append", metavar="SEED", help="only this problem; may be repeated")
    parser.add_argument("--kind", action="append", choices=[kind.__name__ for kind in KINDS],
                        help="only problems of this kind; may be repeated")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep scenes and results, one folder a problem")
    parser.add_argument("--fine", action="store_true", help="the same problems with elements of order 2 or 3, more of "
                        "them, short steps and small gaps, to tell errors of the theory from those of the defaults")
    parser.add_argument("--json", type=Path, metavar="FILE", help="store all outcomes")
    parser.add_argument("--verbose", action="store_true", help="print every problem, not only those that are wrong")
    return parser.parse_args()


def main():
    options = parse()
    if is_missing(options.program):
        return 1
    outcomes = solve_all(
        lambda seed: solve(options, seed), seeds(options), options.jobs, outcome_text,
        lambda outcome: options.verbose or options.only or outcome.verdict in ("WRONG", "NO END", "refused"))
    print("\n" + report(outcomes))
    print("One problem again: ./dev bench engineering --only SEED --keep DIR")
    if options.json:
        options.json.write_text(json.dumps([asdict(o) for o in outcomes], indent=1))
    return 1 if any(o.verdict in ("WRONG", "NO END") for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
