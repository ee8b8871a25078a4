#!/usr/bin/env python3
"""Tries what must never fail, in slices that add up over days: `./dev reliability`. It is also what runs every night.

Figures are queries of collision detection against exact answers, steps of random scenes, kills of running programs, full
disks, mutated input under sanitizers, forged certificates, damaged results, and moves of scenes that are proved. Every
call continues what earlier ones have begun, on one thread and at the lowest priority: the figure that has had the least
time is next. It may be killed at any moment, which loses the slice under way. States and what has failed lie in the
folder CLEARANCE_RELIABILITY (default `../reliability` beside the repository).

  ./dev reliability --minutes 60   # continue for an hour; without it until all figures have reached their goals
  ./dev reliability --only ccd     # only figures whose name holds the word
  ./dev reliability --list         # print how far the figures are and what has failed, run nothing
  ./dev reliability --write        # store docs/reliability.md and docs/reliability.json, run nothing

Exit status 4 if something has failed that passes with no later program.
"""

import sys
import time
from pathlib import Path

from bench_common import ROOT
from evidence import give_way, lock_folder, parse_slices, parser_of_slices
from evidence_scenes import digest_of, identify, read_state, store_state
from reliability_figures import TEST_FIGURES, Place
from reliability_inputs import FUZZ_FIGURES
from reliability_moves import MOVES
from reliability_tables import list_text, write_pages

FIGURES = [*TEST_FIGURES, *FUZZ_FIGURES, MOVES]
# Seconds that a slice is planned for, and the factor by which one may have more units than the one before.
SLICE, GROWTH = 60, 8


def new_state():
    return {"next": 1, "counts": {}, "cpu": 0.0, "rate": None, "last": 0, "slices": 0, "programs": [], "failures": []}


class Ledger:
    """The figures of a call, with their states."""

    def __init__(self, options):
        self.options = options
        self.entries = [(figure, read_state(self.folder(figure), new_state())) for figure in FIGURES
                        if options.only in figure.name]

    def folder(self, figure):
        return self.options.folder / figure.name

    def place(self, figure, program):
        self.folder(figure).mkdir(parents=True, exist_ok=True)
        return Place(self.options.builds, self.folder(figure), program)

    def digests(self, figure, program):
        """Returns names of the contents of both programs that a figure depends on: the test, and clearance."""
        return [program.digest, digest_of(figure.path(self.options.builds))]

    def store(self, figure, state):
        store_state(self.folder(figure), state)

    def is_open(self, figure, state):
        return figure.path(self.options.builds).exists() and state["counts"].get(figure.unit, 0) < figure.goal

    def next_entry(self):
        """Returns the open figure that has had the least time."""
        return min((entry for entry in self.entries if self.is_open(*entry)), key=lambda entry: entry[1]["cpu"], default=None)


def open_failures(state):
    return [failure for failure in state["failures"] if not failure.get("passes_with")]


def repeat_failures(ledger, program):
    """Tries again what has failed with another program."""
    for figure, state in ledger.entries:
        for failure in open_failures(state):
            if not figure.path(ledger.options.builds).exists():
                continue
            digests = ledger.digests(figure, program)
            if failure["digests"] == digests:
                continue
            outcome = figure.repeat(failure, ledger.place(figure, program))
            is_over = outcome["status"] == 0
            failure.update({"passes_with": program.name} if is_over else {"digests": digests, "program": program.name})
            print(f"{figure.name}: failed with {failure['program']}, {'passes now' if is_over else 'FAILS again'}", flush=True)
            ledger.store(figure, state)


def run_slice(ledger, figure, state, program, seconds_left):
    """Runs one slice and stores what it adds."""
    seconds = min(SLICE, seconds_left)
    wanted = state["rate"] * seconds if state["rate"] else 0
    units = max(1, round(min(wanted, GROWTH * state["last"] if state["last"] else wanted)))
    started = time.monotonic()
    outcome = figure.run(state, units, seconds, ledger.place(figure, program))
    elapsed = time.monotonic() - started
    added = outcome["counts"].get(figure.unit, 0)
    state.update({"next": outcome["next"], "cpu": state["cpu"] + outcome["cpu"], "last": added, "slices": state["slices"] + 1,
                  "rate": max(added, 1) / max(elapsed, 0.1)})
    for name, count in outcome["counts"].items():
        state["counts"][name] = state["counts"].get(name, 0) + count
    if program.name not in state["programs"]:
        state["programs"].append(program.name)
    text = f"{figure.name}: {added} {figure.unit} in {elapsed:.1f} s, {state['counts'].get(figure.unit, 0)} of {figure.goal}"
    if outcome["message"]:
        state["failures"].append({"program": program.name, "digests": ledger.digests(figure, program), "status": outcome["status"],
                                  "message": outcome["message"], "slice": outcome["slice"]})
        text += f", FAILED with exit status {outcome['status']}:\n{outcome['message']}"
    ledger.store(figure, state)
    print(text, flush=True)


def run_figures(ledger, program):
    give_way()
    end = time.monotonic() + 60 * ledger.options.minutes if ledger.options.minutes else float("inf")
    for figure, _ in ledger.entries:
        if not figure.path(ledger.options.builds).exists():
            print(f"SKIPPED {figure.name}: {figure.path(ledger.options.builds)} is not there")
    repeat_failures(ledger, program)
    while time.monotonic() < end and (entry := ledger.next_entry()):
        run_slice(ledger, *entry, program, end - time.monotonic())
    print(list_text(ledger.entries))
    return 4 if any(open_failures(state) for _, state in ledger.entries) else 0


def parse(arguments):
    parser = parser_of_slices("reliability", __doc__, "figures", "name", "have reached their goals")
    parser.add_argument("--builds", type=Path, default=ROOT / "build",
                        help="folder of builds, with release/bin and fuzz/bin (default build; ./dev builds what is missing)")
    return parser, parse_slices(parser, arguments, "figures")


def main(arguments=None):
    parser, options = parse(arguments)
    options.folder, options.builds = options.folder.resolve(), options.builds.resolve()
    ledger = Ledger(options)
    if not ledger.entries:
        parser.error(f"no figure holds '{options.only}' in its name")
    if options.list or options.write:
        print(write_pages(ledger.entries, options.folder, ROOT / "docs") if options.write else list_text(ledger.entries))
        return 0
    program = options.builds / "release" / "bin" / "clearance"
    if not program.exists():
        print(f"no program at {program}")
        return 2
    options.lock = lock_folder(options.folder)
    if options.lock is None:
        print(f"./dev reliability: another call works in {options.folder}; stop it, or name another folder", file=sys.stderr)
        return 2
    return run_figures(ledger, identify(program, options.revision))


if __name__ == "__main__":
    sys.exit(main())
