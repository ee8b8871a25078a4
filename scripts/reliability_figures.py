"""The figures of `./dev reliability`: each says how a slice of it is run, and how much that adds.

A slice is a range of seeds, so that slices add up and any of them can be repeated. Its outcome is a dictionary: `next`,
the seed after it, `status`, `cpu` seconds, `counts`, of which the first counts units, and a `message` if it has failed.
"""

import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from bench_common import run_printing
from evidence_run import BOUND_TO_PARENT

# Seconds after which a slice, planned for a minute or so, counts as one that hangs.
PATIENCE = 3600


@dataclass(frozen=True)
class Place:
    """Programs and the folder of a figure. `program` is the clearance that records name."""
    builds: Path
    folder: Path
    program: object

    def run(self, command, environment=None):
        """Runs a command in the folder; returns its exit status, CPU seconds and all that it has printed. Temporary files
        of the last command are there until the next one."""
        scratch = self.folder / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        run, printed = run_printing(command, limit=PATIENCE, wrapper=BOUND_TO_PARENT, cwd=self.folder,
                                    env={**os.environ, "TMPDIR": str(scratch), **(environment or {})})
        return run["exit"], run["cpu"], printed + "\n".join(run["notes"])


def counts_of(patterns, text):
    """Returns the sums of the numbers that the patterns find; nothing if the first finds none."""
    counts = {}
    for name, pattern in patterns.items():
        found = [int(number) for number in re.findall(pattern, text)]
        if not found and not counts:
            return {}
        counts[name] = sum(found)
    return counts


def failure_text(text):
    """Returns the part of a program's output that says what was wrong."""
    lines = text.splitlines()
    signs = ("Failure", "ERROR", "broken promise", "runtime error")
    first = next((i for i, line in enumerate(lines) if any(sign in line for sign in signs)), max(len(lines) - 12, 0))
    return "\n".join(lines[first:first + 12])[:2000]


@dataclass(frozen=True)
class TestFigure:
    """Tests of Google Test that count what they have tried. `count` and `first` are the variables for the number of units
    and the first seed, `batch` is the number of units of a seed, and `patterns` have one number each."""
    name: str
    title: str
    goal: int
    program: str
    tests: str
    count: str
    patterns: dict
    batch: int = 1
    first: str = "CLEARANCE_FUZZ_FIRST"
    settings: dict = field(default_factory=dict)
    units_a_seed: float = 1  # that a seed adds, where the tests are asked for seeds

    @property
    def unit(self):
        return next(iter(self.patterns))

    def path(self, builds):
        return builds / "release" / "bin" / self.program

    def run(self, state, units, _seconds, place):
        """Tries about so many units from the next seed on."""
        seeds = max(1, round(units / self.units_a_seed / self.batch))
        environment = {self.count: str(seeds * self.batch), self.first: str(state["next"]), **self.settings}
        status, cpu, text = place.run([self.path(place.builds), f"--gtest_filter={self.tests}"], environment)
        counts = counts_of(self.patterns, text)
        outcome = {"next": state["next"] + seeds, "status": status, "cpu": cpu, "counts": counts, "message": ""}
        if status != 0 or not counts:
            tried = {"next": state["next"], "units": seeds * self.batch * self.units_a_seed}
            outcome.update({"message": failure_text(text), "slice": tried})
        return outcome

    def repeat(self, failure, place):
        """Runs a slice that has failed again; returns its outcome."""
        return self.run(failure["slice"], failure["slice"]["units"], None, place)


def scenes_of(name, title, test):
    return TestFigure(f"scenes-{name}", f"random scenes of {title}, 100 steps each", 250_000, "test_cli",
                      f"SceneFuzz.NothingIntersectsOrInvertsInRandomScenes{test}", "CLEARANCE_FUZZ_SEEDS",
                      {"steps": r"\d+ scenes, (\d+) steps", "scenes": r"(\d+) scenes, \d+ steps",
                       "converged steps": r" (\d+) converged,", "scenes run twice": r"(\d+) run twice"},
                      settings={"CLEARANCE_FUZZ_STEPS": "100"}, units_a_seed=100)


TEST_FIGURES = [
    TestFigure("ccd-straight", "CCD on straight ways (nodes, affine bodies) against exact arithmetic", 90_000_000, "test_ccd",
               "CcdFuzz.*", "CLEARANCE_FUZZ_CCD", {"queries": r"(\d+) queries", "impacts": r"(\d+) hits"}, batch=500),
    TestFigure("ccd-turns", "CCD of rigid bodies that turn against exact polynomials", 9_000_000, "test_solver",
               "CurvedCcdFuzz.IsNeverLater*", "CLEARANCE_FUZZ_TURNS",
               {"queries": r"(\d+) pairs", "impacts": r"(\d+) impacts", "gaps below 1e-9 m": r"(\d+) with a gap",
                "undecided by the exact side": r"(\d+) undecided"}, batch=1000),
    TestFigure("ccd-screws", "CCD of rigid bodies on any screws against refined intervals", 1_000_000, "test_solver",
               "CurvedCcdFuzz.KeepsTheSeparation*", "CLEARANCE_FUZZ_TURNS",
               {"queries": r"(\d+) pairs", "impacts": r"(\d+) impacts", "undecided by the intervals": r"(\d+) undecided"},
               batch=10_000, units_a_seed=0.1),
    scenes_of("deformable", "deformable bodies", ""),
    scenes_of("stiff", "stiff bodies and joints", "OfStiffBodies"),
    scenes_of("curved", "curved elements", "OfCurvedElements"),
    scenes_of("thin", "thin bodies", "OfThinBodies"),
    TestFigure("kills", "kills of running programs, each resumed and compared with the whole run", 1000, "test_cli",
               "RandomKills.Resumed*", "CLEARANCE_KILLS", {"kills": r"(\d+) kills in", "runs": r"kills in (\d+) runs"}, batch=20,
               first="CLEARANCE_KILL_SEED"),
    TestFigure("full-disks", "disks that are full at one write after the other, resumed and compared", 1000, "test_cli",
               "FullDisk.WhicheverWriteFails*", "CLEARANCE_FULL_DISKS", {"full disks": r"(\d+) full disks of"}),
    TestFigure("certificates", "certificates with one thing forged or damaged", 10_000, "test_verify", "CertificateFuzz.*",
               "CLEARANCE_FUZZ_CERTIFICATES", {"forged": r"(\d+) forged certificates"}, batch=20),
    TestFigure("results", "damaged files of results, verified and resumed", 100_000, "test_cli", "ResultFuzz.*",
               "CLEARANCE_FUZZ_RESULTS",
               {"damaged results": r"(\d+) damaged results", "found by verification": r"(\d+) found by verification",
                "not resumed": r"(\d+) not resumed", "resumed": r", (\d+) resumed"}, batch=10),
    TestFigure("robots", "damaged URDF and MJCF files through clearance-robot", 10_000, "test_robot", "RobotText.Damaged*",
               "CLEARANCE_FUZZ_ROBOTS", {"files": r"(\d+) damaged files"}, units_a_seed=2),
]
