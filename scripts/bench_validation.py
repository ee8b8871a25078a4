#!/usr/bin/env python3
"""Problems with known answers at default settings: `./dev bench validation`.

Runs published benchmarks, textbook problems and closed forms, and compares one number of each with the right one. A
scene sets geometry, mesh, material, loads, motions and, where they have a meaning, time step and duration. Solver,
contact and friction settings and the order of elements are the program's defaults. (Some of the problems of
engineering.py set the order or the restitution of impacts; their titles say so.)

The problems are in scripts/validation/, one module a field; those of engineering.py are read from the folder `checks`
beside CLEARANCE_PEER_DATA and left out where it is missing. A warning counts if `summary.json`, `clearance check` or
the status of a step names it.
"""

import argparse
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench_common import ROOT, is_missing, table
from validation import contacts, engineering, mechanisms, motion, statics
from validation.problem import Result
from validation.solid import run_calculix

FIELDS = {"Elastic solids": statics, "Contact and friction": contacts, "Motion": motion, "Mechanisms": mechanisms,
          "A mechanical engineer's everyday problems": engineering}

INTRODUCTION = """# Validation: problems with known answers

This page compares Clearance at default settings with problems whose answers are known. `./dev bench validation --write`
writes it.

Each scene sets geometry, mesh, material, loads, motions and, where they have a meaning, time step and duration. All
other settings are the program's defaults. Each problem ran on one thread, on a machine that had other work,
too. Seconds are processor seconds.

- **Errors** are relative to the right value. If that value is zero, the error is the difference over the tolerance of
  the problem (above 100 % is wrong).
- **Warnings** are the program's warnings, by name. An error above 3 % without a warning is in **bold**. The page does
  not judge whether a warning is about the error.

Meshes of the clamped plate, the roof, the curved beam, LE1 and LE10 were made finer after a first run, in which
Clearance or CalculiX on the same mesh was off by 3 to 8 %. Since then, stress at a point is computed as a mean over the
cells around it, and the pressure of the shrink fit as a sum of forces.

"""

PEER_INTRODUCTION = """CalculiX solved the same meshes with quadratic elements (C3D10, in plane strain CPE6), for small motions, on one
thread.

"""


@dataclass
class Row:
    """Outcome of a problem; `message` says why there is no number."""
    problem: object
    value: float = math.nan
    seconds: float = 0.0
    warnings: list = field(default_factory=list)
    message: str = ""
    peer_value: float = math.nan
    peer_seconds: float = 0.0
    peer_message: str = ""

    def error(self, value=None):
        value = self.value if value is None else value
        problem = self.problem
        if problem.absolute:
            return (value - problem.right) / problem.scale
        return value / problem.right - 1

    def is_wrong(self, share=0.03):
        return not abs(self.error()) <= (1.0 if self.problem.absolute else share)


# --- runs ---


def call(command, limit, folder):
    """Runs a command; returns its exit status (None beyond `limit` processor seconds), output, and seconds."""
    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
    with open(folder / "stdout", "w+") as out, open(folder / "stderr", "w+") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, preexec_fn=bound)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    texts = [(folder / name).read_text() for name in ("stdout", "stderr")]
    return None if code < 0 else code, *texts, usage.ru_utime + usage.ru_stime


def names_said(folder, checked):
    """Returns the names of warnings in summary.json and `check --json`, and of statuses of steps but `converged`."""
    names = []
    try:
        summary = json.loads((folder / "summary.json").read_text())
        names += [w.get("name", "") for w in summary.get("warnings", [])]
        names += [s for s in summary.get("steps_by_status", {}) if s != "converged"]
    except (OSError, ValueError):
        pass
    try:
        report = json.loads(checked)
        names += [w.get("name", "") for w in report.get("warnings", []) if isinstance(w, dict)]
    except ValueError:
        pass
    return [name for name in dict.fromkeys(names) if name]


class Runner:
    """Runs each scene once, also if several problems measure it."""

    def __init__(self, options, folder):
        self.options, self.folder, self.done = options, folder, {}

    def run(self, problem):
        """Returns (folder of results, exit status, messages, seconds, warnings)."""
        key = self.key_of(problem)
        if key not in self.done:
            self.done[key] = self.run_anew(problem)
        return self.done[key]

    def is_kept(self, problem):
        """True if the folder already holds a run of the same scene and meshes."""
        folder = self.folder / problem.name
        if not (folder / "run.json").exists() or json.loads((folder / "scene.json").read_text()) != problem.scene:
            return False
        return all((folder / name).read_text() == text for name, text in problem.files.items())

    def is_done(self, problem):
        return self.key_of(problem) in self.done or self.is_kept(problem)

    def key_of(self, problem):
        return json.dumps([problem.scene, problem.files])

    def run_anew(self, problem):
        folder = self.folder / problem.name
        if self.is_kept(problem):
            return folder / "out", *json.loads((folder / "run.json").read_text())
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "scene.json").write_text(json.dumps(problem.scene))
        for name, text in problem.files.items():
            (folder / name).write_text(text)
        program, scene, out = str(self.options.program), str(folder / "scene.json"), folder / "out"
        _, checked, _, _ = call([program, "check", scene, "--json"], self.options.seconds, folder)
        code, _, errors, seconds = call(["nice", "-n", "5", program, "run", scene, "-o", str(out), "--threads", "1",
                                         "-q"],
                                        self.options.seconds, folder)
        outcome = code, errors, seconds, names_said(out, checked)
        (folder / "run.json").write_text(json.dumps(outcome))
        return out, *outcome

    def row(self, problem):
        if callable(problem.right):
            problem.right = problem.right()
        out, code, errors, seconds, warnings = self.run(problem)
        row = Row(problem, seconds=seconds, warnings=warnings)
        if code is None:
            row.message = f"no end in {self.options.seconds:g} s"
            return row
        if code not in (0, 3):
            lines = [line.strip() for line in errors.splitlines() if line.strip()]
            row.message = f"exit {code}: {' '.join(lines[:3])[:240].replace(str(self.folder), '')}"
        try:
            result = Result(out)
            if problem.right_of_run:
                problem.right = problem.right_of_run(result)
            row.value = problem.measure(result)
        except (ArithmeticError, LookupError, OSError, ValueError) as problem_found:
            row.message = row.message or f"no number: {problem_found!r}"
        return row

    def add_peer(self, row):
        """Solves the problem with CalculiX."""
        folder = self.folder / f"{row.problem.name}_calculix"
        folder.mkdir(exist_ok=True)
        try:
            peer = run_calculix(self.options.ccx, row.problem.solid, folder)
            row.peer_value, row.peer_seconds = row.problem.peer(peer), peer.seconds
        except (LookupError, OSError, RuntimeError, ValueError) as problem_found:
            row.peer_message = f"{problem_found!r}"


# --- report ---


def number(value):
    return "none" if math.isnan(value) else f"{value:.5g}"


def error_text(row, value=None, bold=False):
    error = row.error(value)
    if math.isnan(error):
        return "**none**" if bold else "none"
    text = f"{100 * error:+.2f} %"
    return f"**{text}**" if bold else text


def cells_of(row):
    problem = row.problem
    silent = row.is_wrong() and not row.warnings
    return [problem.title, problem.source, problem.compared, number(problem.right), number(row.value),
            error_text(row, bold=silent), f"{row.seconds:.1f}", ", ".join(row.warnings) or row.message]


def table_of(rows):
    return table(["problem", "source", "compared", "right", "Clearance", "error", "s", "warnings"], map(cells_of, rows))


def peer_table(rows):
    """Returns the table of problems that CalculiX solved."""
    cells = [[r.problem.title, number(r.problem.right), number(r.value), error_text(r), f"{r.seconds:.1f}",
              number(r.peer_value), r.peer_message or error_text(r, r.peer_value),
              f"{r.peer_seconds:.1f}"] for r in rows]
    return table(["problem", "right", "Clearance", "error", "s", "CalculiX", "error", "s"], cells)


def causes_of(rows):
    """Returns a list of the problems that are off by more than 3 %, with the causes that are known."""
    wrong = [r for r in rows if r.is_wrong()]
    lines = [f"- {r.problem.title}, {r.problem.compared}: {error_text(r)}. {r.problem.note or 'The cause is unknown.'}"
             for r in wrong]
    return "## Causes of errors above 3 %\n\n" + "\n".join(lines) + "\n\n" if wrong else ""


def summary_of(rows):
    wrong = [r for r in rows if r.is_wrong()]
    silent = [r for r in wrong if not r.warnings]
    return (f"{len(rows)} problems: {sum(not r.is_wrong(0.01) for r in rows)} within 1 %, "
            f"{len(rows) - len(wrong)} within 3 %; {len(wrong) - len(silent)} are farther off and the program says so, "
            f"{len(silent)} are farther off without a warning.\n\n")


def page_of(rows_by_field, left_out, options):
    rows = [row for found in rows_by_field.values() for row in found]
    text = summary_of(rows)
    for name, found in rows_by_field.items():
        if found:
            text += f"## {name}\n\n{table_of(found)}\n"
    text += causes_of(rows)
    if left_out:
        text += f"Left out for time (`--total`): {', '.join(left_out)}.\n\n"
    if not rows_by_field.get("A mechanical engineer's everyday problems") and not options.only:
        text += "The problems of engineering.py were left out, because the folder `checks` is missing.\n\n"
    if options.calculix:
        peers = [row for row in rows if row.problem.solid]
        text += "## Beside CalculiX\n\n"
        text += PEER_INTRODUCTION + peer_table(peers) if options.ccx else "SKIPPED: no program ccx (calculix-ccx).\n"
    return text


def print_row(row):
    problem = row.problem
    said = f"; says {', '.join(row.warnings)}" if row.warnings else ""
    verdict = "WRONG" if row.is_wrong() else "ok"
    print(f"{verdict:5} {problem.name}: {number(row.value)}, right {number(problem.right)}, {error_text(row)} "
          f"({row.seconds:.1f} s){said}{'; ' + row.message if row.message else ''}", flush=True)
    if row.peer_seconds or row.peer_message:
        print(f"      CalculiX: {number(row.peer_value)}, {error_text(row, row.peer_value)} ({row.peer_seconds:.1f} s)"
              f"{row.peer_message}", flush=True)


def run_all(options, folder):
    """Returns the rows by field, and the names of problems that were left out for time."""
    runner = Runner(options, folder)
    rows, left_out, start = {}, [], time.time()
    for name, module in FIELDS.items():
        rows[name] = []
        for problem in module.problems():
            if options.only and not any(text in problem.name for text in options.only):
                continue
            if time.time() - start > options.total and not runner.is_done(problem):
                left_out.append(problem.name)
                continue
            row = runner.row(problem)
            if options.calculix and options.ccx and problem.solid:
                runner.add_peer(row)
            print_row(row)
            rows[name].append(row)
    return rows, left_out


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("build/native/bin/clearance"))
    parser.add_argument("--only", action="append", metavar="TEXT",
                        help="only problems whose name holds TEXT; may be repeated")
    parser.add_argument("--calculix", action="store_true", help="also run CalculiX where it can solve the same mesh")
    parser.add_argument("--seconds", type=float, default=120, help="limit of a run, of the processor (default 120)")
    parser.add_argument("--total", type=float, default=math.inf, metavar="S",
                        help="start no run later than S seconds after the first; the page names the problems left out")
    parser.add_argument("--keep", type=Path, metavar="DIR",
                        help="keep scenes and results in this folder, and do not repeat runs of the same scenes in it")
    parser.add_argument("--write", action="store_true", help="store the tables in docs/validation.md")
    return parser.parse_args()


def main():
    options = parse()
    if is_missing(options.program):
        return 1
    options.program = options.program.resolve()
    options.ccx = shutil.which("ccx")
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="validation-") as temporary:
        rows, left_out = run_all(options, options.keep or Path(temporary))
    text = INTRODUCTION + page_of(rows, left_out, options)
    print("\n" + text)
    if options.write:
        (ROOT / "docs" / "validation.md").write_text(text.rstrip() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
