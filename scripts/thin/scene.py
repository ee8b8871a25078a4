"""Builds scenes of thin bodies, runs them, and reads what their probes say."""

import csv
import json
import math
import subprocess
import tempfile
from pathlib import Path


class Failed(Exception):
    """A run that did not end, or whose steps did not converge."""


class Program:
    def __init__(self, path):
        self.path = path
        self.seconds = 0.0
        self.iterations = 0
        self.told = set()
        # Lines of stats.jsonl of the last run.
        self.steps = []

    def run(self, scene, may_fail=False, stops=()):
        """Runs a scene and returns its probes by column; raises Failed unless all steps converge. A run with `stops`
        ends after each of these numbers of steps and goes on from its checkpoint."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "scene.json"
            file.write_text(json.dumps(scene))
            out = Path(folder) / "out"
            for part in range(len(stops) + 1):
                command = [self.path, "run", str(file), "-o", str(out), "--threads", "1", "-q"]
                command += ["--steps", str(stops[part])] if part < len(stops) else []
                command += ["--resume"] if part > 0 else []
                ended = subprocess.run(command, capture_output=True, text=True, check=False)
                if not (out / "summary.json").exists():
                    raise Failed((ended.stderr + ended.stdout).strip()[:400])
            summary = json.loads((out / "summary.json").read_text())
            self.told |= {warning["name"] for warning in summary.get("warnings", [])}
            self.steps = [json.loads(text) for text in (out / "stats.jsonl").read_text().splitlines()]
            for step in self.steps:
                self.seconds += step["seconds"]["total"]
                self.iterations += step["newton_iterations"]
            statuses = summary.get("steps_by_status", {})
            if not may_fail and set(statuses) - {"converged"}:
                raise Failed(f"steps {statuses}")
            with open(out / "probes.csv", encoding="utf-8") as rows:
                rows = list(csv.DictReader(rows))
            return {key.split(" [")[0]: [float(row[key]) for row in rows if row[key] != ""] for key in rows[0]}


def scene(bodies, probes, *, is_static=True, step=1.0, duration=1.0, gravity=0.0, integrator=None, **others):
    time = {"step": step, "duration": duration}
    if is_static:
        time["integrator"] = "quasi_static"
    elif integrator:
        time["integrator"] = integrator
    return {"format": "clearance/3", "time": time, "gravity": [0.0, -gravity, 0.0], "bodies": bodies,
            "output": {"probes": probes, "frame_interval": 1000000}, **others}


def held(numbers, *, clamp=False, components=None, **motion):
    result = {"region": {"nodes": numbers}, **motion}
    if clamp:
        result["clamp"] = True
    if components:
        result["components"] = components
    return result


def position(name, body, node):
    return {"name": name, "kind": "position", "body": body, "region": {"nodes": [node]}}


def reaction(name, body, numbers, point=None):
    probe = {"name": name, "kind": "reaction", "body": body, "region": {"nodes": numbers}}
    if point:
        probe["point"] = point
    return probe


def force(numbers, value, **others):
    return {"kind": "force", "region": {"nodes": numbers}, "value": value, **others}


def ramp(value, duration):
    """Returns formulas of a vector that grows evenly to its value."""
    return [f"{v!r} * t / {duration!r}" if v else "0" for v in value]


def end_couple(last, inner, arm, moment, turn, duration):
    """Returns two opposite forces, `arm` apart, whose moment about z grows evenly to its value. They stay across the
    end of a rod or a strip along x, which the moment turns by `turn` [rad]."""
    size = f"{moment / arm / duration!r} * t"
    angle = f"{turn / duration!r} * t"
    across = [f"0 - {size} * sin({angle})", f"{size} * cos({angle})", "0"]
    back = [f"{size} * sin({angle})", f"0 - {size} * cos({angle})", "0"]
    return [{"kind": "force", "region": {"nodes": last}, "expression": across},
            {"kind": "force", "region": {"nodes": inner}, "expression": back}]


def rolled_up(probes, p, e, steps):
    """Returns the way of the tip for each moment of the case roll-up."""
    results = {}
    largest = max(p["moments_over_full"])
    for share in p["moments_over_full"]:
        row = round(steps * share / largest)
        inward, up = e["tip"][f"{share:g}"]
        results[f"inward {share:g}"] = (probes["tip.x"][0] - probes["tip.x"][row], inward)
        results[f"up {share:g}"] = (probes["tip.y"][row] - probes["tip.y"][0], up)
    return results


def moved(probes, name):
    """Returns the way of a probe from its first to its last place."""
    return [probes[f"{name}.{c}"][-1] - probes[f"{name}.{c}"][0] for c in "xyz"]


def frequency(times, values):
    """Returns the frequency of a vibration from every other crossing of its mean. These are a period apart, also where
    the mean is not the rest; crossings in turn are not half of a period apart there."""
    level = sum(values) / len(values)
    crossings = []
    for t0, t1, a, b in zip(times, times[1:], values, values[1:]):
        if (a - level) * (b - level) < 0.0:
            crossings.append(t0 + (t1 - t0) * (level - a) / (b - a))
    periods = [b - a for a, b in zip(crossings, crossings[2:])]
    return len(periods) / sum(periods) if periods else math.nan


def is_threshold(program, make, share):
    """Returns 1 if a small imperfection decays at (1 - share) of a critical load and grows at (1 + share). `make(load)`
    returns a scene, the column of a probe, and the deflection above which the imperfection has grown."""
    verdicts = []
    for factor in (1.0 - share, 1.0 + share):
        scene_of_load, column, limit = make(factor)
        probes = program.run(scene_of_load, may_fail=True)
        start = probes[column][0]
        verdicts.append(abs(probes[column][-1] - start) > limit)
    return 1.0 if verdicts == [False, True] else 0.0
