"""A problem with a known answer, and the files of one run of it."""

import csv
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from physics.results import read_arrays

G = 9.80665  # [m/s^2]


@dataclass
class Problem:
    """A scene at default settings, one number of its run, and the right value of this number."""
    name: str
    title: str
    source: str
    compared: str
    right: object  # number, or a function without arguments that computes it
    scene: dict
    measure: Callable  # of a Result: the number
    files: dict = field(default_factory=dict)  # text by name, beside the scene
    solid: object = None  # Solid that CalculiX can solve, too
    peer: Callable = None  # of the results of CalculiX: the number
    right_of_run: Callable = None  # of a Result: the right value, where it depends on forces that the run has found
    note: str = ""  # cause of an error, as far as it is known
    absolute: bool = False  # the error is a difference, in parts of `scale`
    scale: float = 1.0


class Result:
    """Probes, frames and warnings of a run."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.frames = sorted((self.folder / "frames").glob("frame_*.vtu"))
        self.arrays = {}

    def probe(self, column):
        """Returns the values of a column of probes.csv, without empty fields."""
        return [value for _, value in self.series(column)]

    def series(self, column):
        """Returns (time, value) of a column of probes.csv, without empty fields."""
        with open(self.folder / "probes.csv", newline="") as file:
            return [(float(row["time [s]"]), float(row[column])) for row in csv.DictReader(file) if row[column] != ""]

    def steps(self):
        return [json.loads(line) for line in (self.folder / "stats.jsonl").read_text().splitlines()]

    def frame(self, index):
        """Returns the arrays of a stored frame, 0 the start and -1 the end."""
        index %= len(self.frames)
        if index not in self.arrays:
            self.arrays[index] = read_arrays(self.frames[index])
        return self.arrays[index]

    def points(self, index=0):
        flat = self.frame(index)["Points"]
        return [tuple(flat[i:i + 3]) for i in range(0, len(flat), 3)]

    def cells_at(self, point):
        """Returns the numbers of the cells around the vertex that starts nearest to a point."""
        points, frame = self.points(), self.frame(0)
        wanted = min(range(len(points)), key=lambda i: math.dist(points[i], point))
        ends = list(frame["offsets"])
        return [c for c, (begin, end) in enumerate(zip([0, *ends], ends))
                if wanted in frame["connectivity"][begin:end]]

    def principal_stresses(self, cells=None):
        """Returns the principal stresses (largest, middle, smallest) of cells, or of all."""
        flat = self.frame(-1)["principal_stress"]
        return [tuple(flat[3 * c:3 * c + 3]) for c in (range(len(flat) // 3) if cells is None else cells)]

    def mean_stress(self, point):
        """Returns the means of the principal stresses of the cells around the vertex nearest to a point."""
        found = self.principal_stresses(self.cells_at(point))
        return [math.fsum(s[d] for s in found) / len(found) for d in range(3)]


def position_probe(name, body, point=None):
    return {"name": name, "kind": "position", "body": body} | ({"point": list(point)} if point else {})


def moved(name, axis):
    """Returns the measure `how far a position probe went along an axis`."""
    def measure(result):
        values = result.probe(f"{name}.{axis} [m]")
        return values[-1] - values[0]
    return measure


def last(column, factor=1.0):
    return lambda result: factor * result.probe(column)[-1]


def crossings(pairs, level=0.0):
    """Returns the times at which values rise past a level."""
    return [t0 + (t1 - t0) * (level - a) / (b - a) for (t0, a), (t1, b) in zip(pairs, pairs[1:]) if a < level <= b]


def period(column, level=0.0):
    """Returns the measure `mean time between rises past a level`."""
    def measure(result):
        times = crossings(result.series(column), level)
        return (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else math.nan
    return measure


def root(function, low, high):
    """Returns the place between low and high where a function changes its sign."""
    sign = function(low) > 0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (function(middle) > 0) == sign else (low, middle)
    return 0.5 * (low + high)
