"""Compares reverse with forward mode on the scenes of a bench."""

import sys
import warnings

from bench_common import ROOT

# Reverse mode takes every number in one run; forward mode keeps several models for each.
MOST_PATHS = 12


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


def compare(folder):
    """Prints how far both modes are apart for a random number of the places and velocities at the end of a kept run.
    The error is a share of the root of the sum of squares of its terms. Returns it; None where there is no reverse
    mode."""
    clearance, numpy = import_module()
    by, steps = arguments_of((folder / "command.txt").read_text())
    name = folder.name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            recording = clearance.record(clearance.Scene.load(folder / "scene.json"), steps=steps)
            forward = recording.forward(by)
            random = numpy.random.default_rng(0)
            seeds = [random.standard_normal(recording.positions().shape) for _ in range(2)]
            found = recording.backward(*seeds, by=by)
        except clearance.ClearanceError as refusal:
            print(f"{name:12} {refusal.problems[0].message}", flush=True)
            return None
    terms = numpy.concatenate([forward.positions[:, -1] * seeds[0], forward.velocities[:, -1] * seeds[1]], axis=1)
    expected, size = terms.sum(axis=(1, 2)), numpy.sqrt((terms**2).sum(axis=(1, 2)))
    errors = numpy.abs(found.parameters - expected) / numpy.where(size > 0.0, size, 1.0)
    print(f"{name:12} {recording.steps:4} steps, {len(by):2} numbers: {errors.max():8.1e} by {by[errors.argmax()]}",
          flush=True)
    return errors.max()
