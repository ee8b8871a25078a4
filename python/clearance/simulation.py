"""Simulations: stepping a scene."""

import copy
import json
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, MutableMapping, NamedTuple, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check
from ._native import core
from .errors import Problem, ResultError, SceneError, StepError, warn, without
from .joints import Joints, Tree
from .mesh import Mesh
from .page import Page
from .placing import Unknowns, check_keys, shapes_of
from .results import Results
from .scene import Scene

if TYPE_CHECKING:
    from ._core import State, StepReport
else:
    State, StepReport = core.State, core.StepReport



def _make_state(step: int, time: float, arrays: Dict[str, Any], start: int) -> State:
    return core.make_state(step, time, arrays, start)


def _numbers(value: Any, shape: Tuple[int, ...], name: str) -> NDArray[np.float64]:
    """Returns an array of finite numbers of the given shape."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected numbers, not {_check.short(value)}") from None
    if array.shape != tuple(shape):
        raise ValueError(f"{name}: expected the shape {tuple(shape)}, not {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers")
    return np.ascontiguousarray(array)


# Share of a body's radius by which joints may be out of place where bodies are placed. Steps leave 1e-7 and less.
_TORN = 0.05


def _in_python(problem: Problem) -> Problem:
    """Renames options of the command line in a problem to their names in Python."""
    message = problem.message
    for option, name in (("--resume", "resume=True"), ("--overwrite", "overwrite=True"), ("with -o", "by output=")):
        message = message.replace(f"`{option}`", f"`{name}`").replace(option, name)
    return problem._replace(message=message)


class Body(_check.Sealed):
    """One body of a simulation; copies of a body with an `array` are bodies of their own, such as `link[3]`."""

    def __init__(self, stepper: Any, name: str, kind: str, vertices: slice, entry: int, number: int, adapts: bool):
        self._stepper, self._name, self._kind, self._vertices = stepper, name, kind, vertices
        self._entry, self._number, self._adapts = entry, number, adapts

    @property
    def name(self) -> str:
        return self._name

    @property
    def kind(self) -> str:
        """deformable, affine, rigid or obstacle"""
        return self._kind

    @property
    def vertices(self) -> slice:
        """Its rows in positions, velocities and contact_forces. Raises RuntimeError once elements have adapted, so that
        the rows are others now, and in a closed simulation."""
        if self._stepper.closed:
            raise RuntimeError(f"body {self._name!r}: the simulation is closed")
        if self._adapts and self._stepper.bodies[self._number][2] != self._vertices:
            raise RuntimeError(f"body {self._name!r}: its elements or those of another body have adapted, so that its "
                               f"vertices have other rows now; ask for sim.body({self._name!r}) again after every step")
        return self._vertices

    @property
    def entry(self) -> int:
        """Its number in the scene's `bodies`"""
        return self._entry

    @property
    def number(self) -> int:
        """Its place in `Simulation.bodies`, by which contacts name it"""
        return self._number

    def _remedy(self, name: str, value: Any) -> str:
        return ("a body of a simulation cannot be changed; change the scene before the simulation is made, or use "
                "motions, loads and controls (docs/python.md)")

    def __repr__(self) -> str:
        return f"<Body {self._name!r}: {self._kind}, rows {self._vertices.start} to {self._vertices.stop}>"


class Contacts(NamedTuple):
    """Pairs of features that are nearer than the activation distance; n rows each."""

    bodies: NDArray[np.int32]  #: (n, 2) indices of bodies; -1 - k for half-space k
    vertices: NDArray[np.int32]  #: (n, 4) vertices of the first feature, then of the second; -1: none
    num_first: NDArray[np.int32]  #: (n,) number of vertices of the first feature
    gap: NDArray[np.float64]  #: (n,) [m]
    normal: NDArray[np.float64]  #: (n, 3) unit vector from the second feature to the first
    force: NDArray[np.float64]  #: (n, 3) [N] force on the first feature


class Controls(_check.Sealed, MutableMapping):
    """The controls of a scene by their names: numbers that its formulas use, and that can be set between steps."""

    def __init__(self, stepper: Any):
        self._stepper = stepper

    def __getitem__(self, name: str) -> float:
        return _check.Named(self._stepper.controls)[name]

    def __setitem__(self, name: str, value: float) -> None:
        if isinstance(value, (str, bytes)) or np.ndim(value) != 0 or not isinstance(name, str):
            raise TypeError(f"controls[{_check.short(name)}]: expected a number, not {_check.short(value)}")
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise TypeError(f"controls[{name!r}]: expected a number, not {_check.short(value)}") from None
        self._stepper.set_control(name, number)

    def _remedy(self, name: str, value: Any) -> str:
        return f"a control is set by its name: sim.controls[{name!r}] = ..."

    def __delitem__(self, name: str) -> None:
        raise TypeError("controls can be set, but not removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._stepper.controls)

    def __len__(self) -> int:
        return len(self._stepper.controls)

    def __repr__(self) -> str:
        return f"<Controls: {self._stepper.controls}>"


class Simulation(_check.Sealed):
    """A scene that is stepped.

    scene: a Scene, or the path of a scene file. output: a folder for frames, statistics and checkpoints, as `clearance
    run -o` writes it; None: nothing is stored. threads: 0 for all processors; results do not depend on it. steps: the
    number of steps; replaces the scene's duration. overwrite, resume: treatment of an existing result. controls: the
    result folder of a run whose controls are replayed, step by step, until other values are set.

    Issues a ClearanceWarning for each probable mistake in the scene, and at the end of the run, or when the simulation
    is closed, for each respect in which the run is unreliable; `warnings` has all of them.

    Raises SceneError with every problem of the scene, ResultError if the folder cannot be used.
    """

    _settable = ("controls",)

    def __init__(self, scene: Union[Scene, Any], output: Any = None, *, threads: int = 0, steps: Optional[int] = None,
                 overwrite: bool = False, resume: bool = False, controls: Any = None):
        if overwrite and resume:
            raise ValueError("overwrite and resume exclude each other")
        if controls is not None and resume:
            raise ValueError("controls and resume exclude each other: a resumed run has its own")
        if output is None and (overwrite or resume):
            raise ValueError("overwrite and resume need `output`")
        threads = _check.whole_number(threads, "threads", 0)
        steps = None if steps is None else _check.whole_number(steps, "steps", 0)
        if isinstance(scene, dict):
            raise TypeError("scene: expected a Scene or a path; of a dict it is cl.Scene(**data)")
        imported: List[Problem] = []
        told: List[Problem] = []
        if not isinstance(scene, Scene):
            desc = core.load_scene(_check.path(scene, "scene"), "auto", [])
        else:
            desc = scene._desc()
            imported, told = scene._imported, scene._warnings
        use = "overwrite" if overwrite else "resume" if resume else "start"
        folder = self._folder = None if output is None else _check.path(output, "output")
        recorded = None if controls is None else _check.path(controls, "controls")
        try:
            self._stepper = core.make_stepper(desc, folder, use, threads, steps, recorded)
        except ResultError as error:
            raise ResultError([_in_python(problem) for problem in error.problems]) from None
        self._controls = Controls(self._stepper)
        data = scene.data if isinstance(scene, Scene) else json.loads(desc.text("scene.json"))
        self._joint_tree = Tree(copy.deepcopy(data.get("joints", [])))
        self._probes: List[Dict[str, Any]] = copy.deepcopy(data.get("output", {}).get("probes", []))
        self._steps_by_status: Dict[str, int] = {}
        self._last_report: Optional[StepReport] = None
        self._adapts: bool = self._stepper.adapts
        self._list_bodies()
        self._scene_warnings: List[Problem] = imported + without(self._stepper.scene_warnings, imported)
        self._is_end_told = False
        self._separation: Dict[str, List[Dict[str, Any]]] = self._stepper.separation
        warn(without(self._scene_warnings, told))  # Scene.load has issued the others

    @property
    def steps_by_status(self) -> Dict[str, int]:
        """Number of steps that have ended with each status: `{"converged": 100}`."""
        return dict(self._steps_by_status)

    @property
    def last_report(self) -> Optional[StepReport]:
        """Report of the last step; None before the first."""
        return self._last_report

    @property
    def warnings(self) -> List[Problem]:
        """Probable mistakes in the scene, and what is not reliable in the steps so far (docs/results.md), by `name`."""
        return self._scene_warnings + self._stepper.run_warnings

    @property
    def separation(self) -> Dict[str, List[Dict[str, Any]]]:
        """Bodies that the scene's `start.overlaps` has moved apart: `overlaps` with `bodies` and `depth` [m], `moves`
        with `body`, `distance` [m] as a whole and `bending` [m] beside that; docs/overlaps.md."""
        return self._separation

    def _remedy(self, name: str, value: Any) -> str:
        if isinstance(getattr(type(self), name, None), property):
            return "it cannot be set; the scene says how bodies start"
        if name == "gravity":
            return ("set it in the scene, Scene(gravity=[...]); to change it between steps, set the scene's gravity to "
                    "zero and give the bodies a load of kind acceleration with a control (docs/python.md)")
        return (f"a simulation is that of its scene: set scene.data[{name!r}] before it is made, or use controls "
                "between steps (docs/python.md)")

    def _warn_of_run(self) -> None:
        """Issues the warnings about the run, once."""
        if not self._is_end_told:
            self._is_end_told = True
            warn(self._stepper.run_warnings)

    def _list_bodies(self) -> None:
        self._bodies: List[Body] = [Body(self._stepper, *body, number, self._adapts)
                                    for number, body in enumerate(self._stepper.bodies)]
        self._by_name = {body.name: body for body in self._bodies}

    @property
    def bodies(self) -> List[Body]:
        """All bodies of the scene. If elements adapt, their `vertices` change from step to step: ask again."""
        if self._adapts or self._stepper.closed:
            self._list_bodies()
        return self._bodies

    def step(self, on_iteration: Optional[Callable[[int, float], Any]] = None) -> StepReport:
        """Takes one step; other Python threads go on meanwhile. `on_iteration(iteration, residual [m/s])` is called
        after every Newton iteration.

        Ctrl-C, and an exception in `on_iteration`, end the step within a second; the state is then that before the
        step. Raises StepError if the step could not be taken, RuntimeError after the last step or in a closed
        simulation.
        """
        try:
            report = self._take_step(on_iteration)
        except StepError:
            self._warn_of_run()
            raise
        if self.done:
            self._warn_of_run()
        return report

    def _take_step(self, on_iteration: Optional[Callable[[int, float], Any]]) -> StepReport:
        """Takes one step without issuing warnings."""
        report = self._stepper.step(on_iteration)
        self._steps_by_status[report.status] = self._steps_by_status.get(report.status, 0) + 1
        self._last_report = report
        return report

    @property
    def controls(self) -> Controls:
        """The controls of the scene (docs/scene.md, controls): `sim.controls["grip"] = 0.02`. They are recorded in
        the result folder."""
        return self._controls

    @controls.setter
    def controls(self, values: Mapping[str, float]) -> None:
        for name, value in dict(values).items():
            self._controls[name] = value

    def run(self) -> "Simulation":
        """Takes all remaining steps; `steps_by_status` tells how they ended."""
        while not self.done:
            self.step()
        return self

    @property
    def done(self) -> bool:
        """True if all steps are done, or one has failed."""
        return self._stepper.done

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._stepper.time

    @property
    def step_number(self) -> int:
        """Number of steps done."""
        return self._stepper.step_number

    @property
    def num_steps(self) -> int:
        """Total number of steps."""
        return self._stepper.num_steps

    @property
    def units(self) -> str:
        """System of units of all numbers of this simulation, by default "m-N-Pa" (docs/units.md)."""
        return self._stepper.units

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions of all vertices [m] (n, 3); in 2D z = 0. Read-only, always the same array, refreshed by every
        step: use copy() to keep the values."""
        return self._stepper.positions

    @property
    def velocities(self) -> NDArray[np.float64]:
        """Velocities [m/s] (n, 3); otherwise like positions."""
        return self._stepper.velocities

    @property
    def contact_forces(self) -> NDArray[np.float64]:
        """Contact forces on all vertices [N] (n, 3), without friction; in 2D for a slice one metre deep."""
        return self._stepper.contact_forces

    @property
    def contacts(self) -> Contacts:
        """Returns the contacts at the current positions."""
        return Contacts(**self._stepper.contacts)

    @property
    def probes(self) -> Dict[str, float]:
        """Returns the numbers of the scene's probes by `name [unit]`."""
        return _check.Named(self._stepper.probes)

    @property
    def probe_rows(self) -> List[Tuple[float, Dict[str, float]]]:
        """Returns time [s] and probes at the end of each part of the last step: with `time.accuracy` it has many."""
        names = list(self._stepper.probes)
        return [(time, dict(zip(names, values))) for time, values in self._stepper.probe_rows]

    @property
    def mesh(self) -> Mesh:
        """Returns all bodies in their current state."""
        return Mesh._of(self._stepper.frame.mesh)

    @property
    def state_hash(self) -> str:
        """Hash of positions and velocities, 16 hexadecimal digits as in stats.jsonl."""
        return self._stepper.state_hash

    def body(self, name: str) -> Body:
        """Returns the body of that name. Raises KeyError, and RuntimeError in a closed simulation."""
        if self._adapts or self._stepper.closed:
            self._list_bodies()
        try:
            return self._by_name[name]
        except (KeyError, TypeError):
            raise KeyError(f"no body {_check.short(name)}; there are {', '.join(list(self._by_name)[:20])}") from None

    def pose(self, name: str) -> NDArray[np.float64]:
        """Pose of an affine or rigid body (4, 4): x = T x_start in homogeneous coordinates [m]; the unit matrix at
        the start. Raises ValueError for other bodies."""
        pose = self._stepper.pose(self.body(name).number)
        if pose is None:
            raise ValueError(f"'{name}' is {self.body(name).kind}; only affine and rigid bodies have a pose")
        return pose

    def _unknowns(self) -> Unknowns:
        return Unknowns(self._stepper.save_state(), self._stepper.bodies)

    def _stiff(self, name: str, what: str) -> int:
        """Returns the number of an affine or rigid body. Raises ValueError for others."""
        body = self.body(name)
        if body.kind not in ("affine", "rigid"):
            raise ValueError(f"'{name}' is {body.kind}; only affine and rigid bodies have a {what}")
        return body.number

    def center(self, name: str) -> NDArray[np.float64]:
        """Centre of mass [m] (3,) of an affine or rigid body. Raises ValueError for other bodies."""
        return self._unknowns().center(self._stiff(name, "centre of mass here"))

    def twist(self, name: str) -> NDArray[np.float64]:
        """Velocity of an affine or rigid body (2, 3): that of its centre of mass [m/s], and its angular velocity
        [rad/s]. Raises ValueError for other bodies."""
        return self._unknowns().twist(self._stiff(name, "twist"))

    @property
    def joint_names(self) -> List[str]:
        """Names of the hinges and sliders, in the order of `joints`; one without a name is `joints[2]`."""
        return list(self._joint_tree.names)

    @property
    def joints(self) -> Joints:
        """Positions, velocities and efforts of the hinges and sliders as arrays."""
        return self._joint_tree.read(self)

    def contact_force(self, first: str, second: Optional[str] = None) -> NDArray[np.float64]:
        """Contact force [N] (3,) on body `first` by body `second`, or by everything, without friction. The second may
        be `half_spaces[0]`. With friction: a probe of kind contact."""
        contacts, one = self.contacts, self.body(first).number
        other = None
        if second is not None:
            is_plane = second.startswith("half_spaces[") and second[12:-1].isdigit()
            other = -1 - int(second[12:-1]) if is_plane else self.body(second).number
        force = np.zeros(3)
        for side, sign in ((0, 1.0), (1, -1.0)):
            rows = contacts.bodies[:, side] == one
            if other is not None:
                rows &= contacts.bodies[:, 1 - side] == other
            else:
                rows &= contacts.bodies[:, 1 - side] != one
            force += sign * contacts.force[rows].sum(axis=0)
        return force

    def place(self, bodies: Mapping[str, Mapping[str, Any]]) -> None:
        """Sets places and velocities of bodies: `sim.place({"cube": {"pose": T, "angular": [0, 1, 0]}})`.

        Affine and rigid bodies have `pose` (4, 4), x = T x_start, `linear` [m/s] of the centre of mass and `angular`
        [rad/s]; others have `positions` [m] and `velocities` [m/s], a row for each vertex. What is left out stays. The
        bodies begin anew there: friction no longer sticks, and joints start at less than half a turn.

        Raises SceneError if something is no place, bodies would intersect, or joints would be torn; nothing has moved
        then. Raises RuntimeError with `output`.
        """
        before = self.save_state()
        unknowns = Unknowns(before, self._stepper.bodies)
        for name, numbers in dict(bodies).items():
            body = self.body(name)
            if not isinstance(numbers, Mapping):
                raise TypeError(f"place: expected a dict for {name!r}, not {_check.short(numbers)}")
            is_stiff = unknowns.is_stiff(body.number)
            check_keys(name, is_stiff, numbers)
            shapes = shapes_of(is_stiff, body.vertices.stop - body.vertices.start)
            arrays = {key: _numbers(value, shapes[key], f"place: {key} of {name!r}") for key, value in numbers.items()}
            if is_stiff:
                unknowns.place_stiff(body.number, self.pose(name), arrays)
            else:
                unknowns.place_vertices(body.number, arrays)
        unknowns.forget_past([self.body(name).number for name in bodies])
        try:
            self.restore(core.make_state(unknowns.step, unknowns.time, unknowns.arrays, unknowns.start))
        except SceneError as error:
            told = "the saved state does not belong to this scene"
            raise SceneError([problem._replace(message=problem.message.replace(told, "the bodies cannot be placed there"))
                              for problem in error.problems]) from None
        share, joint = self._stepper.joint_strain
        if share > _TORN:
            self.restore(before)
            raise SceneError([Problem("", "place", "", f"{joint} would be torn: what it joins would be {share:.2g} radii of "
                                      "the smaller body apart; place all bodies of the mechanism, or use set_joints()")])

    def aim(self, name: str, positions: ArrayLike) -> None:
        """Sets where the vertices of an obstacle without motions are to be at the end of the next step [m] (n, 3). The
        way is a straight one, nothing is passed through, and they stay there until they are set again.

        Raises SceneError for other bodies.
        """
        body = self.body(name)
        shape = (body.vertices.stop - body.vertices.start, 3)
        self._stepper.aim(body.number, _numbers(positions, shape, f"aim: positions of {name!r}"))

    def apply_force(self, name: str, force: ArrayLike = (0, 0, 0), torque: ArrayLike = (0, 0, 0)) -> None:
        """Applies a force [N] (3,) at the centre of mass and a torque [N m] (3,) to an affine or rigid body in the next
        step alone, beside those applied before it.

        Raises ValueError for other bodies, and SceneError for a scene without `applied_forces`.
        """
        number = self._stiff(name, "force at its centre of mass")
        self._stepper.apply_wrench(number, _numbers(force, (3,), "apply_force: force"),
                                   _numbers(torque, (3,), "apply_force: torque"))

    def apply_forces(self, forces: ArrayLike) -> None:
        """Applies forces to all vertices [N] (n, 3) in the next step alone, beside those applied before it.

        Raises SceneError for a scene without `applied_forces`.
        """
        self._stepper.apply_forces(_numbers(forces, self.positions.shape, "apply_forces"))

    def set_joints(self, positions: Mapping[str, float], velocities: Optional[Mapping[str, float]] = None) -> None:
        """Places the bodies of a mechanism by its joints: values of hinges [rad] and sliders [m] by their names, and
        their rates, 0 by default. Joints that are left out stay where they are, and those with `mimic` follow.

        Raises KeyError, ValueError for mechanisms that are no trees of hinges and sliders, SceneError as `place` does.
        """
        tree = self._joint_tree
        values = tree.values(dict(positions), self.joints.positions)
        rates = tree.rates(dict(velocities or {}))
        self.place(tree.place(values, rates, self))

    def save_state(self) -> State:
        """Returns everything that a restart needs; the state can be pickled."""
        return self._stepper.save_state()

    def restore(self, state: State) -> None:
        """Continues from a state of this scene. Raises SceneError for a state of another scene, and RuntimeError
        with `output`, because steps of a stored run only go forward."""
        if not isinstance(state, State):
            raise TypeError(f"state: expected what save_state() has given, not {_check.short(state)}")
        self._stepper.restore(state)
        self._is_end_told = False

    def show(self, height: int = 600) -> Page:
        """Returns the frames stored so far as a page that a notebook shows below the cell (Results.show). Raises
        RuntimeError without `output`, ResultError."""
        if self._folder is None:
            raise RuntimeError("nothing is stored that could be shown: give Simulation an `output`")
        return Results(self._folder).show(height)

    def close(self) -> None:
        """Completes the result folder; the simulation cannot be used afterwards, apart from its `warnings`. `with`
        closes it."""
        self._stepper.close()
        self._warn_of_run()

    def __reduce__(self) -> Any:
        raise TypeError("a Simulation cannot be pickled; its scene and save_state() can")

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._stepper.closed:
            return "<Simulation: closed>"
        return f"<Simulation: step {self.step_number} of {self.num_steps}, t = {self.time:g} {'ms' if self.units == 'mm-kN-GPa' else 's'}, {len(self._bodies)} bodies>"
