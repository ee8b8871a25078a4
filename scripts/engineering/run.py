"""What a run of the program gives: columns of probes, fields of the last frame, and what it said."""

import csv
import json
import math
import re
from pathlib import Path

from physics.results import read_arrays


class Run:
    """Results of a run in a folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        with open(self.folder / "probes.csv", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))

    def pairs(self, column):
        """Returns the times and values of a column of probes.csv where it has any."""
        return [(float(r["time [s]"]), float(r[column])) for r in self.rows if r[column] != ""]

    def values(self, column):
        return [value for _, value in self.pairs(column)]

    def last(self, column):
        return self.values(column)[-1]

    def moved(self, column):
        values = self.values(column)
        return values[-1] - values[0]

    def field(self, name):
        """Returns an array of the last frame, flat."""
        return list(read_arrays(sorted((self.folder / "frames").glob("*.vtu"))[-1])[name])


def first_peak(pairs):
    """Returns time and value of the first maximum, from the parabola through three values."""
    for (t0, a), (t1, b), (t2, c) in zip(pairs, pairs[1:], pairs[2:]):
        if b >= a and b > c:
            bend = a - 2 * b + c
            return t1 + 0.5 * (t2 - t1) * (a - c) / bend, b - 0.125 * (a - c) ** 2 / bend
    return math.nan, math.nan


def crossing_times(pairs, level):
    """Returns the times at which values rise through a level."""
    return [t0 + (t1 - t0) * (level - a) / (b - a) for (t0, a), (t1, b) in zip(pairs, pairs[1:]) if a < level <= b]


def read_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return {}


def summary_of(folder):
    path = Path(folder) / "summary.json"
    return read_json(path.read_text()) if path.exists() else {}


def statuses_told(folder):
    """Returns the statuses of steps that did not converge."""
    return [status for status in summary_of(folder).get("steps_by_status", {}) if status != "converged"]


def name_of(warning):
    """Returns the name of a warning; messages of `check` begin with it."""
    begin = re.match(r"([a-z]+_[a-z_]+): ", warning.get("message", ""))
    return warning.get("name") or (begin.group(1) if begin else "")


def names_told(folder, checked):
    """Returns the names of warnings in summary.json, the statuses of steps that did not converge, and the names that
    `check --json` told."""
    report = read_json(checked)
    warnings = [*summary_of(folder).get("warnings", []), *report.get("warnings", []), *report.get("errors", [])]
    names = [name_of(w) for w in warnings if isinstance(w, dict)]
    return list(dict.fromkeys(name for name in [*names, *statuses_told(folder)] if name))
