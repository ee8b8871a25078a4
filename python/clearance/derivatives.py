"""Derivatives of the numbers of probes by numbers of a scene (docs/derivatives.md)."""

import os
from typing import List, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from ._native import core
from .errors import Problem, warn
from .scene import Scene


class Gradient(NamedTuple):
    """Numbers of a run after each step, and their derivatives in the units of the scene."""

    columns: List[str]  #: columns of the probes, `name.part [unit]`
    parameters: List[str]  #: paths of the numbers of the scene
    at: NDArray[np.float64]  #: (parameters,) these numbers
    times: NDArray[np.float64]  #: (steps + 1,) [s]; the start first
    values: NDArray[np.float64]  #: (steps + 1, columns)
    derivatives: NDArray[np.float64]  #: (steps + 1, columns, parameters)
    warnings: List[Problem]


def gradient(scene: Scene, by: Sequence[str], of: Optional[Sequence[str]] = None, *,
             steps: Optional[int] = None) -> Gradient:
    """Runs the scene and differentiates it in forward mode.

    `by` are paths of numbers of the scene (`["bodies[0].material.youngs_modulus"]`), `of` columns of its probes
    (`["tip.y"]`; None: all), `steps` the number of steps (None: those of the scene). Contact distances and stiffnesses
    that follow from the scene are held. Issues a ClearanceWarning for each warning. Raises SceneError with every
    problem of the scene and the paths, and DerivativeError if a step has no derivative.
    """
    if isinstance(by, str) or not all(isinstance(path, str) for path in by):
        raise TypeError('by: expected a list of paths like ["bodies[0].material.density"]')
    if of is not None and (isinstance(of, str) or not all(isinstance(name, str) for name in of)):
        raise TypeError('of: expected a list of columns like ["tip.y"], or None')
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
        raise ValueError(f"steps: expected a whole number of at least 1, not {steps!r}")
    text = scene._desc().text(os.path.join(scene.base_directory, "scene.json"))
    columns, numbers, times, values, slopes, warnings = core.gradient(text, scene.base_directory, list(by),
                                                                       list(of or []), steps or 0)
    warn(warnings)
    return Gradient(columns, list(by), np.array(numbers), times, values, slopes, warnings)
