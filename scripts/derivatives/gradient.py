"""Runs `clearance gradient` on scenes whose numbers carry derivatives by the parameters of a case."""

import csv
import json
import subprocess
import tempfile
from pathlib import Path

from derivatives.number import Number, value_of

# Paths of one run; more are split, because the program keeps several models for each.
MOST_PATHS = 60
IMPACT = "impact_time_not_differentiated"


class Failed(Exception):
    """A run without derivatives, with the message of the program."""


class NotDone(Exception):
    """A number that cannot be found in this way, with the reason."""


def plain(part, path="", slopes=None):
    """Returns a part of a scene with plain numbers. `slopes` gets the derivatives of each by its path."""
    if isinstance(part, Number):
        by = {name: d for name, d in part.by.items() if d != 0.0}
        if by and slopes is not None:
            slopes[path] = by
        return part.value
    if isinstance(part, dict):
        return {key: plain(value, f"{path}.{key}" if path else key, slopes) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [plain(value, f"{path}[{i}]", slopes) for i, value in enumerate(part)]
    return part


class Run:
    """Columns of probes at every step, with derivatives by the parameters of the case."""

    def __init__(self, times, columns, warnings):
        self.times, self.columns, self.warnings = times, columns, warnings

    def __getitem__(self, column):
        """Returns a column after the last step."""
        return self.history(column)[-1]

    def history(self, column):
        """Returns a column by steps, the start first."""
        if column not in self.columns:
            raise Failed(f"the program has no column {column}")
        return self.columns[column]

    def place(self, probe, axes="xyz"):
        return [self[f"{probe}.{axis}"] for axis in axes]


class Program:
    def __init__(self, path, keep=None):
        self.path, self.keep = str(path), keep
        self.runs = {}
        self.count = 0

    def gradient(self, scene, steps=None, files=None, name="scene"):
        """Runs a scene and returns its columns. Numbers of the scene with derivatives become paths, and the columns
        have the sum over all paths. A scene that has run already is not run again. `files` are functions that write a
        file at a path, by its name beside the scene."""
        slopes = {}
        text = json.dumps(plain(scene, "", slopes), indent=1)
        key = (text, json.dumps(slopes), steps)
        if key not in self.runs:
            try:
                self.runs[key] = self.run(text, slopes, steps, files or {}, name)
            except Failed as failure:
                self.runs[key] = failure
        if isinstance(self.runs[key], Failed):
            raise self.runs[key]
        return self.runs[key]

    def run(self, text, slopes, steps, files, name):
        paths = list(slopes)
        result = None
        for first in range(0, max(1, len(paths)), MOST_PATHS):
            some = paths[first:first + MOST_PATHS]
            times, values, derivatives, warnings = self.call(text, some, steps, files, name)
            if result is None:
                result = Run(times, {c: [Number(v, {}) for v in column] for c, column in values.items()}, warnings)
            for column, numbers in result.columns.items():
                for path in some:
                    for step, n in enumerate(numbers):
                        for by, slope in slopes[path].items():
                            n.by[by] = n.by.get(by, 0.0) + slope * derivatives[column, path][step]
        return result

    def call(self, text, paths, steps, files, name):
        if not paths:
            raise Failed("no number of the scene depends on the parameters")
        self.count += 1
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            if self.keep:
                folder = Path(self.keep) / f"{self.count:03d}-{name}"
                folder.mkdir(parents=True, exist_ok=True)
            (folder / "scene.json").write_text(text)
            for file, write in files.items():
                write(folder / file)
            command = [self.path, "gradient", str(folder / "scene.json"), "--json", "--threads", "1"]
            command += ["-o", str(folder / "out"), "--overwrite"]
            command += ["--steps", str(steps)] if steps else []
            for path in paths:
                command += ["--by", path]
            if self.keep:
                (folder / "command.txt").write_text(" ".join(command) + "\n")
            ended = subprocess.run(command, capture_output=True, text=True, check=False)
            table = folder / "out" / "derivatives.csv"
            if ended.returncode != 0 or not table.exists():
                raise Failed(message_of(ended))
            warnings = [warning_name(w) for w in json.loads(ended.stdout).get("warnings", [])]
            with open(table, encoding="utf-8") as rows:
                return (*columns_of(list(csv.DictReader(rows)), paths), warnings)


def message_of(ended):
    """Returns the messages of a run that failed, in a line."""
    text = (ended.stderr + ended.stdout).strip()
    try:
        issues = json.loads(text)
        found = issues if isinstance(issues, list) else issues.get("issues", issues.get("errors", []))
        text = "; ".join(" ".join(str(part) for part in issue.values()) for issue in found) or text
    except (ValueError, AttributeError):
        pass
    return f"exit status {ended.returncode}: {' '.join(text.split())[:400]}"


def warning_name(warning):
    """Returns what names a warning: the place of what is told at the end, else the first entry with text."""
    if isinstance(warning, str):
        return warning
    for key in ("name", "place", "path", "field", "where"):
        if warning.get(key):
            return warning[key]
    return json.dumps(warning)


def columns_of(rows, paths):
    """Returns times, values by column, and derivatives by column and path, by steps; what is empty is not a number."""
    def of(key):
        return [float(row[key]) if row[key] else float("nan") for row in rows]
    values, derivatives = {}, {}
    labels = [key for key in rows[0] if key not in ("step", "time [s]") and not key.startswith("d ")]
    for label in labels:
        column = label.split(" [")[0]
        values[column] = of(label)
        for path in paths:
            derivatives[column, path] = of(f"d {label} / d {path}")
    return of("time [s]"), values, derivatives


def parameters_of(case, wanted):
    """Returns the parameters of a case as numbers. Those that are `wanted` (X3[1] of lists) have derivatives."""
    def seed(name, value):
        return Number(value, {name: 1.0} if name in wanted else {})
    result = {}
    for name, value in case["parameters"].items():
        if isinstance(value, list):
            result[name] = [seed(f"{name}[{i}]", v) for i, v in enumerate(value)]
        else:
            result[name] = seed(name, value)
    return result


def whole(value):
    return round(value_of(value))
