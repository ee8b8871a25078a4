"""Compares reverse with forward mode on the scenes of a bench."""

import json
import sys
import warnings

from bench_common import ROOT

# Reverse mode takes every number in one run; forward mode keeps several models for each.
MOST_PATHS = 12
# Share by which both modes may differ, unless rounding does more to them.
MOST_APART = 1e-10
# Runs with other last digits, where the modes differ by more.
NUM_ROUNDED = 6


def import_module():
    """Returns the Python module of the build, and NumPy."""
    sys.path.insert(0, str(ROOT / "build/release/python"))
    import numpy  # pylint: disable=import-outside-toplevel
    import clearance  # pylint: disable=import-outside-toplevel
    return clearance, numpy


def arguments_of(command):
    """Returns paths and number of steps (None: those of the scene) of a stored command of `clearance gradient`."""
    words = command.split()
    after = {name: [words[i + 1] for i, word in enumerate(words) if word == name] for name in ("--by", "--steps")}
    return after["--by"][:MOST_PATHS], int(after["--steps"][0]) if after["--steps"] else None


def derivatives(path, by, steps):
    """Returns the derivatives of a random number of the places and velocities at the end of a run in both modes, and
    the roots of the sums of squares of their terms."""
    clearance, numpy = import_module()
    recording = clearance.record(clearance.Scene.load(path), steps=steps)
    forward = recording.forward(by)
    random = numpy.random.default_rng(0)
    seeds = [random.standard_normal(recording.positions().shape) for _ in range(2)]
    found = recording.backward(*seeds, by=by)
    terms = numpy.concatenate([forward.positions[:, -1] * seeds[0], forward.velocities[:, -1] * seeds[1]], axis=1)
    return terms.sum(axis=(1, 2)), found.parameters, numpy.sqrt((terms**2).sum(axis=(1, 2))), recording.steps


def with_other_digits(part, random):
    """Returns a part of a scene whose numbers differ in their last digit, but for times."""
    if isinstance(part, float):
        return part * (1.0 + random.choice((-1.0, 1.0)) * sys.float_info.epsilon)
    if isinstance(part, dict):
        return {key: value if key in ("time", "output") else with_other_digits(value, random)
                for key, value in part.items()}
    return [with_other_digits(value, random) for value in part] if isinstance(part, list) else part


def rounding_of(folder, by, steps, numbers):
    """Returns by how much the derivatives of both modes change at most with the last digits of the scene, together: the
    digits that derivatives with this conditioning have."""
    _, numpy = import_module()
    random = numpy.random.default_rng(0)
    scene = json.loads((folder / "scene.json").read_text())
    other = folder / "rounded.json"
    largest = numpy.zeros((2, len(by)))
    for _ in range(NUM_ROUNDED):
        other.write_text(json.dumps(with_other_digits(scene, random)))
        again = derivatives(other, by, steps)
        largest = numpy.maximum(largest, [numpy.abs(after - before) for before, after in zip(numbers, again[:2])])
    other.unlink()
    return largest.sum(axis=0)


def compare(folder):
    """Prints how far both modes are apart for a random number of the places and velocities at the end of a kept run,
    as a share of the root of the sum of squares of its terms. Returns False if that is more than MOST_APART and more
    than rounding makes."""
    clearance, numpy = import_module()
    by, steps = arguments_of((folder / "command.txt").read_text())
    name = folder.name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            *numbers, size, num_steps = derivatives(folder / "scene.json", by, steps)
            size = numpy.where(size > 0.0, size, 1.0)
            errors = numpy.abs(numbers[0] - numbers[1]) / size
            rounding = numpy.zeros(len(by))
            if not errors.max() <= MOST_APART:
                rounding = rounding_of(folder, by, steps, numbers) / size
        except clearance.ClearanceError as refusal:
            print(f"{name:12} {refusal.problems[0].message}", flush=True)
            return True
    well_known = errors[rounding <= MOST_APART] if (rounding <= MOST_APART).any() else numpy.zeros(1)
    line = f"{name:12} {num_steps:4} steps, {len(by):2} numbers: {well_known.max():8.1e}"
    for path, error, digits in zip(by, errors, rounding):
        if digits > MOST_APART:
            line += f"; {path}: {error:.1e}, rounding {digits:.1e}"
    off = [path for path, error, digits in zip(by, errors, rounding) if not error <= max(MOST_APART, digits)]
    print(line + (f"  OFF: {', '.join(off)}" if off else ""), flush=True)
    return not off
