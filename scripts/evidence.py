#!/usr/bin/env python3
"""Runs the published scenes from their first to their last step, in slices that add up: `./dev evidence`.

Scenes are those of the IPC reference, of Rigid IPC, of PolyFEM and of Codimensional IPC below CLEARANCE_PEER_DATA, several
hundred thousand steps in all. Every call continues what earlier ones have begun, one thread a scene and at the lowest priority, and may
be killed at any moment. The scene that is expected to end first goes first, but a third of the time is for the scene
that has waited longest. `clearance verify` checks all frames of every scene. Results lie in the folder
CLEARANCE_EVIDENCE (default `../evidence` beside the repository).

  ./dev evidence --minutes 60      # continue for an hour; without it until all scenes have ended
  ./dev evidence --only chain      # only scenes whose name holds the word
  ./dev evidence --list            # print how far the scenes are, run nothing
  ./dev evidence --write           # store docs/evidence.md and docs/evidence/*.json, run nothing

Exit status 4 if `clearance verify` finds fault with a scene.
"""

import argparse
import fcntl
import os
import resource
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

from bench_common import ROOT, is_missing
from evidence_run import run_slice
from evidence_scenes import (condition, expected_seconds, identify, is_complete, is_open, load_state, must_read, read_scene,
                             scenes, store_state)
from evidence_tables import list_text, write_pages

# Share of the time that goes to the scene that has waited longest.
AGED_SHARE = 1 / 3
# Seconds that the runs of a killed call get to end.
LOCK_PATIENCE = 60


class Queue:
    """Scenes and their states; workers take one at a time."""

    def __init__(self, found, options, program):
        self.base, self.options, self.program = options.folder, options, program
        self.entries = [(scene, load_state(scene.folder(self.base))) for scene in found]
        self.chosen = [entry for entry in self.entries if is_named(entry[0], options.only)]
        self.lock = threading.Lock()
        self.busy = set()
        self.end = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
        self.seconds = {"shortest": 0.0, "aged": 0.0}
        self.visits = max((state["visit"] for _, state in self.entries), default=0)
        self.is_full = False

    def seconds_left(self):
        return self.end - time.monotonic()

    def read(self):
        """Asks the program how long the scenes are that nobody has asked about yet."""
        for scene, state in self.chosen:
            if must_read(state, self.program) and self.seconds_left() > 0:
                state["read"] = read_scene(scene, self.program)
                store_state(scene.folder(self.base), state)

    def take(self):
        """Returns the next scene, its state and the rule that chose it, or None."""
        with self.lock:
            waiting = [(scene, state) for scene, state in self.chosen
                       if state["read"] and scene not in self.busy and is_open(state, self.program, self.options.memory_gb)]
            if not waiting or self.is_full or self.seconds_left() <= 0:
                return None
            rule = "aged" if self.seconds["aged"] < AGED_SHARE * sum(self.seconds.values()) else "shortest"
            scene, state = min(waiting, key=lambda e: (e[1]["visit"] if rule == "aged" else 0, expected_seconds(e[1])))
            self.visits += 1
            state["visit"] = self.visits
            self.busy.add(scene)
            return scene, state, rule

    def give_back(self, scene, rule, seconds):
        with self.lock:
            self.busy.remove(scene)
            self.seconds[rule] += seconds
            self.keep_within_budget()

    def keep_within_budget(self):
        """Deletes frames of complete scenes, the largest first, while the folder is too large."""
        size = sum(state["size"] for _, state in self.entries)
        budget = 1e9 * self.options.disk_gb
        for scene, state in sorted(self.entries, key=lambda entry: -entry[1]["size"]):
            if size <= budget:
                return
            if is_complete(state) and state["verified"]["ok"] and not state["frames_removed"]:
                size -= remove_frames(scene.folder(self.base), state)
        self.is_full = size > budget

    def work(self):
        while taken := self.take():
            scene, state, rule = taken
            started, steps = time.monotonic(), state["steps"]
            run_slice(scene, state, self.program, self.base, self.seconds_left(), self.options.memory_gb,
                      (self.options.lock.fileno(),))
            seconds = time.monotonic() - started
            print(f"{scene.group} {scene.label}: steps {steps} to {state['steps']} of {state['read']['steps']} in {seconds:.1f} s"
                  f"{outcome(scene, state, self)}", flush=True)
            self.give_back(scene, rule, seconds)


def is_named(scene, word):
    return word in f"{scene.group}/{scene.label}"


def outcome(scene, state, queue):
    """Returns what a person should know about a slice beyond its steps."""
    text = ", complete" if condition(state) == "complete" else ""
    if state["failed"]:
        text += f", FAILED with exit status {state['failed']['exit']}: {state['failed']['message']}"
    if state["verified"] and not state["verified"]["ok"]:
        text += f"\n  VERIFY FAILED: {queue.program.path} verify {scene.folder(queue.base) / 'result'}"
    return text


def remove_frames(folder, state):
    """Deletes the frames of a scene and its checkpoint, and returns their size."""
    for name in ("frames", "checkpoint"):
        shutil.rmtree(folder / "result" / name, ignore_errors=True)
    size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    freed, state["size"], state["frames_removed"] = state["size"] - size, size, True
    store_state(folder, state)
    return freed


def lock_folder(folder):
    """Returns a locked file, or None. Runs hold the lock, too, so that one that survives its caller for a moment is
    waited for."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "evidence.lock").open("w")
    end = time.monotonic() + LOCK_PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() > end:
                return None
            time.sleep(0.2)


def give_way():
    """Gives way to other work, and ends with an interrupt at once."""
    os.nice(19)
    # Linux shares processors between sessions before it looks at the priorities of processes, unless the session has a
    # priority itself. That of a terminal is left alone.
    autogroup = Path("/proc/self/autogroup")
    if os.getsid(0) == os.getpid() and autogroup.exists():
        autogroup.write_text("19")
    # The default ends this process at once. Its state is whole at any moment, and its runs end with it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def limit_memory(memory_gb):
    """Limits the memory of every process that is started from here on."""
    memory = int(1e9 * memory_gb)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def run_queue(found, options, program):
    give_way()
    limit_memory(options.memory_gb)
    queue = Queue(found, options, program)
    queue.read()
    queue.keep_within_budget()
    workers = [threading.Thread(target=queue.work) for _ in range(options.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(list_text(queue.chosen, is_long=False))
    if queue.is_full:
        print(f"stopped: {options.folder} is larger than {options.disk_gb:g} GB; raise --disk-gb")
    is_wrong = any(state["verified"] and not state["verified"]["ok"] for _, state in queue.chosen)
    return 4 if is_wrong else 0


def positive(kind):
    def convert(text):
        value = kind(text)
        if not value > 0:
            raise ValueError
        return value
    convert.__name__ = f"positive {'whole ' if kind is int else ''}number"
    return convert


def parser_of_slices(name, description, what, named, are_done):
    """Returns a parser with the options of work that is done in slices. `name` is that of the command and of the folder
    of results, and `named` says which things a word chooses."""
    variable = f"CLEARANCE_{name.upper()}"
    parser = argparse.ArgumentParser(prog=f"./dev {name}", description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="WORD", default="", help=f"{what} whose {named} holds WORD")
    parser.add_argument("--revision", default="", help="name of the program in the records (default: digest of its file)")
    parser.add_argument("--folder", type=Path, default=Path(os.environ.get(variable, ROOT.parent / name)),
                        help=f"of results (default {variable}, or ../{name} beside the repository)")
    parser.add_argument("--minutes", type=positive(float), help=f"end after about this time (default: when all {what} {are_done})")
    parser.add_argument("--list", action="store_true", help="print what has been done, run nothing")
    parser.add_argument("--write", action="store_true", help=f"store tables and numbers of all {what} in docs/, run nothing")
    return parser


def parse_slices(parser, arguments, what):
    options = parser.parse_args(arguments)
    if options.write and (options.list or options.only):
        parser.error(f"--write stores all {what}; leave --list and --only out")
    return options


def parse(arguments):
    parser = parser_of_slices("evidence", __doc__, "scenes", "group or name", "have ended")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "bin" / "clearance",
                        help="a clearance that is there already; without it ./dev builds the release")
    parser.add_argument("--jobs", type=positive(int), default=1, help="scenes at a time (default 1)")
    parser.add_argument("--memory-gb", type=positive(float), default=8, help="of a scene (default 8); one that needs more fails")
    parser.add_argument("--disk-gb", type=positive(float), default=10,
                        help="of all results (default 10): frames of complete scenes are deleted beyond it")
    return parser, parse_slices(parser, arguments, "scenes")


def main(arguments=None):
    parser, options = parse(arguments)
    options.folder = options.folder.resolve()
    found = scenes(options.folder)
    if not found:
        print("SKIPPED: no peer data; name the folder that holds ipc/input with CLEARANCE_PEER_DATA")
        return 0
    if not any(is_named(scene, options.only) for scene in found):
        parser.error(f"no scene holds '{options.only}' in its name")
    if options.list or options.write:
        entries = [(scene, load_state(scene.folder(options.folder))) for scene in found if is_named(scene, options.only)]
        print(list_text(entries, is_long=True) if options.list else write_pages(entries, ROOT / "docs"))
        return 0
    if is_missing(options.program):
        return 2
    options.lock = lock_folder(options.folder)
    if options.lock is None:
        print(f"./dev evidence: another call works in {options.folder}; stop it, or name another folder", file=sys.stderr)
        return 2
    return run_queue(found, options, identify(options.program, options.revision))


if __name__ == "__main__":
    sys.exit(main())
