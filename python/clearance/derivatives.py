"""Derivatives of the numbers of probes by numbers of a scene (docs/derivatives.md)."""

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _check
from ._native import core
from .errors import Problem, warn
from .scene import Scene


def _text(scene: Any) -> str:
    """Returns the text of a scene."""
    if not isinstance(scene, Scene):
        raise TypeError(f"scene: expected a Scene, not {_check.short(scene)}; cl.Scene.load reads a file")
    return scene._desc().text(os.path.join(scene.base_directory, "scene.json"))


def _paths(by: Any, least: int) -> List[str]:
    """Returns checked paths of numbers of a scene."""
    if not isinstance(by, (list, tuple)) or not all(isinstance(path, str) for path in by):
        raise TypeError(f'by: expected a list of paths like ["bodies[0].material.density"], not {_check.short(by)}')
    if len(by) < least:
        raise ValueError("by: expected at least one path")
    return list(by)


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
    paths = _paths(by, 1)
    if of is not None and (isinstance(of, str) or not all(isinstance(name, str) for name in of)):
        raise TypeError('of: expected a list of columns like ["tip.y"], or None')
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
        raise ValueError(f"steps: expected a whole number of at least 1, not {steps!r}")
    text = _text(scene)
    columns, numbers, times, values, slopes, warnings = core.gradient(text, scene.base_directory, paths,
                                                                       list(of or []), steps or 0)
    warn(warnings)
    return Gradient(columns, paths, np.array(numbers), times, values, slopes, warnings)


class ForwardGradient(NamedTuple):
    """Derivatives of the vertices by numbers of the scene, in its units."""

    positions: NDArray[np.float64]  #: (by, steps + 1, n, 3)
    velocities: NDArray[np.float64]  #: (by, steps + 1, n, 3)
    warnings: List[Problem]


class BodySlopes(NamedTuple):
    """Derivatives by how a rigid or affine body starts."""

    place: NDArray[np.float64]  #: (3,) per metre along the axes
    turn: NDArray[np.float64]  #: (3,) per radian (not degree) about axes through its centre of mass, spin held
    velocity: NDArray[np.float64]  #: (3,) per m/s
    spin: NDArray[np.float64]  #: (3,) per rad/s (not degrees)


class PrescribedSlopes(NamedTuple):
    """Derivatives by where a rigid or affine body that a motion moves is at the end of each step."""

    place: NDArray[np.float64]  #: (steps, 3) per metre along the axes; row k is of step k + 1
    turn: NDArray[np.float64]  #: (steps, 3) per radian about axes through its centre of mass


class ReverseGradient(NamedTuple):
    """Derivatives of a number L of a run. Rows of vertices are those of Recording.positions; vertices of rigid and
    affine bodies, which follow their bodies, have zero: see `bodies`."""

    parameters: NDArray[np.float64]  #: (by,) by the numbers of the scene, in its units
    start_positions: NDArray[np.float64]  #: (n, 3) by where vertices start, with the shapes at rest held
    start_velocities: NDArray[np.float64]  #: (n, 3)
    rest: NDArray[np.float64]  #: (n, 3) by the shapes of solids at rest, with the start held
    shape: NDArray[np.float64]  #: (n, 3) by the vertices of the meshes: both together
    lame_lambda: NDArray[np.float64]  #: (elements,) [1/Pa] by Lame's first parameter of each element of solids
    lame_mu: NDArray[np.float64]  #: (elements,) [1/Pa] by the shear modulus
    density: NDArray[np.float64]  #: (elements,)
    cells: NDArray[np.int32]  #: (elements,) cell of the frames that each element is
    prescribed: NDArray[np.float64]  #: (steps, n, 3) by the places of prescribed vertices; row k is of step k + 1
    controls: NDArray[np.float64]  #: (steps, controls) by the values of the scene's controls; row k is of step k + 1
    bodies: Dict[str, BodySlopes]  #: by how rigid and affine bodies start
    prescribed_bodies: Dict[str, PrescribedSlopes]  #: by where rigid and affine bodies that motions move are
    error: float  #: largest share by which a step differs from the differences that check it
    warnings: List[Problem]


class Recording(_check.Sealed):
    """A run that is kept, to differentiate numbers of it in reverse mode: `record` makes one."""

    def __init__(self, run: Any):
        self._run = run

    @property
    def steps(self) -> int:
        """Number of steps"""
        return int(self._run.num_steps)

    @property
    def times(self) -> NDArray[np.float64]:
        """(steps + 1,) [s]; the start first"""
        times: NDArray[np.float64] = self._run.times
        return times

    @property
    def kept_steps(self) -> int:
        """Number of steps whose states are kept; others are computed again when they are needed."""
        return int(self._run.num_kept)

    @property
    def peak_mb(self) -> float:
        """[MB] Memory of kept and recomputed steps at its largest"""
        return float(self._run.most_mb)

    @property
    def probes(self) -> Dict[str, NDArray[np.float64]]:
        """(steps + 1,) each: the columns of the scene's probes, `name.part [unit]`; forces are NaN at the start."""
        return dict(zip(self._run.columns, self._run.probes.T))

    @property
    def bodies(self) -> Dict[str, slice]:
        """The rows of each body in positions and velocities"""
        return {name: slice(first, last) for name, first, last in self._run.bodies}

    def positions(self, step: int = -1) -> NDArray[np.float64]:
        """(n, 3) [m] vertices after a step; 0 is the start, -1 the end."""
        positions: NDArray[np.float64] = self._run.positions(self._step(step))
        return positions

    def velocities(self, step: int = -1) -> NDArray[np.float64]:
        """(n, 3) [m/s]"""
        velocities: NDArray[np.float64] = self._run.velocities(self._step(step))
        return velocities

    def _step(self, step: Any) -> int:
        if isinstance(step, bool) or not isinstance(step, (int, np.integer)):
            raise TypeError(f"step: expected a whole number, not {_check.short(step)}")
        return int(step)

    def forward(self, by: Sequence[str]) -> ForwardGradient:
        """Returns the derivatives of all vertices, in all steps, by numbers of the scene. Runs the scene once more."""
        positions, velocities, warnings = self._run.forward(_paths(by, 1))
        warn(warnings)
        return ForwardGradient(positions, velocities, warnings)

    def backward(self, positions: Any = None, velocities: Any = None, by: Sequence[str] = (), *,
                 of: Union[None, str, Mapping[str, Any]] = None, at: int = -1) -> ReverseGradient:
        """Returns the derivatives of a number L of the run.

        `positions` has dL by the vertices: an array (n, 3) for the end, or a dict of steps and arrays; `velocities` by
        their velocities. `of` is a column of the scene's probes (`"tip.y"`) that L is, after the step `at`, or a dict of
        columns and dL by each: a number for the step `at`, or an array (steps + 1,) for all. All three add up. `by` are
        paths of numbers of the scene (`["bodies[0].material.damping"]`), each of which costs
        four evaluations a step; everything else costs nothing more. Raises DerivativeError if a step has no transposed
        derivative.
        """
        paths = _paths(by, 0)
        of_positions, of_velocities = self._seeds(positions, "positions"), self._seeds(velocities, "velocities")
        of_columns = self._column_seeds(of, at)
        if not of_positions and not of_velocities and not of_columns:
            raise ValueError("positions: expected dL by the vertices, at the end or by steps; or velocities, or of")
        found = self._run.backward(of_positions, of_velocities, of_columns, paths)
        bodies = {name: BodySlopes(*found["places"][name], *found["velocities"][name]) for name in found["places"]}
        moved = {name: PrescribedSlopes(rows[0::2], rows[1::2]) for name, rows in found["prescribed_bodies"].items()}
        warn(found["warnings"])
        return ReverseGradient(found["parameters"], found["start_positions"], found["start_velocities"], found["rest"],
                               found["shape"], found["lambda"], found["mu"], found["density"], found["cells"],
                               np.array(found["prescribed"]), found["controls"], bodies, moved,
                               found["error"], found["warnings"])

    def _column_seeds(self, of: Any, at: Any) -> Dict[str, Dict[int, float]]:
        """Returns checked numbers by columns and steps; those of zero are left out."""
        if of is None:
            return {}
        if not isinstance(of, Mapping):
            of = {of: 1.0}
        step = self._step(at)
        if not -self.steps - 1 <= step <= self.steps:
            raise IndexError(f"at: the recording has steps 0 to {self.steps}")
        result: Dict[str, Dict[int, float]] = {}
        for column, seed in of.items():
            if not isinstance(column, str):
                raise TypeError(f'of: expected columns of probes like "tip.y", not {_check.short(column)}')
            try:
                array = np.asarray(seed, dtype=float)
            except (TypeError, ValueError):
                raise TypeError(f"of[{column!r}]: expected numbers, not {_check.short(seed)}") from None
            if array.shape not in [(), (self.steps + 1,)]:
                raise ValueError(f"of[{column!r}]: expected a number or an array of shape ({self.steps + 1},), one for "
                                 f"each state, not {array.shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"of[{column!r}]: expected finite numbers")
            numbers = {step: float(array)} if array.shape == () else dict(enumerate(array.tolist()))
            result[column] = {state: number for state, number in numbers.items() if number != 0.0}
        return result

    def _seeds(self, seeds: Any, name: str) -> Dict[int, NDArray[np.float64]]:
        """Returns a checked array for each step."""
        if seeds is None:
            return {}
        shape = self._run.positions(0).shape
        result: Dict[int, NDArray[np.float64]] = {}
        for step, seed in (seeds.items() if isinstance(seeds, Mapping) else [(-1, seeds)]):
            if isinstance(step, bool) or not isinstance(step, (int, np.integer)):
                raise TypeError(f"{name}: expected numbers of steps as keys, not {step!r}")
            place = name if not isinstance(seeds, Mapping) else f"{name}[{step}]"
            if not -self.steps - 1 <= step <= self.steps:
                raise IndexError(f"{place}: the recording has steps 0 to {self.steps}")
            try:
                if np.iscomplexobj(seed):
                    raise TypeError
                array = np.asarray(seed, dtype=float)
            except (TypeError, ValueError):
                raise TypeError(f"{place}: expected an array of numbers of shape {shape}, not "
                                f"{_check.short(seed)}") from None
            if array.shape != shape:
                raise ValueError(f"{place}: expected an array of shape {shape}, one row per vertex, not {array.shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"{place}: expected finite numbers")
            at = int(step) % (self.steps + 1)
            result[at] = result[at] + array if at in result else array
        return result

    def __repr__(self) -> str:
        return f"<Recording: {self.steps} steps, {sum(len(range(*rows.indices(10**9))) for rows in self.bodies.values())} vertices>"


def record(scene: Scene, *, steps: Optional[int] = None, budget_mb: float = 4096.0) -> Recording:
    """Runs the scene and keeps the states of all steps, for derivatives in reverse mode.

    The run differs from a normal one in that every step is solved until nothing but rounding is left. `budget_mb` is
    the memory for the states; beyond it only some steps are kept, and others are computed again, with the same bits,
    when derivatives need them: that costs one more run. Issues a
    ClearanceWarning for each warning. Raises SceneError with every problem of the scene, among them what has no
    derivatives, and DerivativeError if a step does not converge.
    """
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
        raise ValueError(f"steps: expected a whole number of at least 1, not {steps!r}")
    if isinstance(budget_mb, bool) or not isinstance(budget_mb, (int, float)) or not budget_mb > 0:
        raise ValueError(f"budget_mb: expected a number above 0, not {budget_mb!r}")
    text = _text(scene)
    run = core.RecordedRun(text, scene.base_directory, steps or 0, float(budget_mb))
    warn(run.warnings)
    return Recording(run)
