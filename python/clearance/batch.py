"""Batches: many worlds of one scene, stepped together."""

import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _check
from .errors import ClearanceWarning, Problem, StepError, warn
from .scene import Scene
from .simulation import Simulation, State


class Batch(_check.Sealed):
    """Worlds of one scene that are stepped together, with their numbers in arrays of one row per world.

    scene: a Scene, or the path of a scene file. count: the number of worlds. threads: each steps whole worlds; 0 for all
    processors. steps: the number of steps of each world; replaces the scene's duration.

    Every world has the same bits as a Simulation of its own with the same controls, for any number of threads. Nothing
    is stored in files. Bodies whose elements adapt are refused, because their arrays would differ from world to world.

    Raises SceneError with every problem of the scene.
    """

    def __init__(self, scene: Union[Scene, Any], count: int, *, threads: int = 0, steps: Optional[int] = None):
        self._count = _check.whole_number(count, "count", 1)
        threads = _check.whole_number(threads, "threads", 0) or len(os.sched_getaffinity(0))
        if not isinstance(scene, Scene):
            scene = Scene.load(_check.path(scene, "scene"))
        first = Simulation(scene, threads=1, steps=steps)
        if first._adapts:
            raise ValueError("scene: the elements of its bodies adapt (`remesh`); the worlds of a batch need the same ones")
        # Every world is made from the scene by itself, so that none can influence another. The first has warned of it.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClearanceWarning)
            self._worlds = [first, *(Simulation(scene, threads=1, steps=steps) for _ in range(self._count - 1))]
        self._names = list(first.controls)
        self._pool = ThreadPoolExecutor(min(threads, self._count), thread_name_prefix="clearance-batch")
        # Blocks of neighbouring worlds: few enough to hand out quickly, and enough for threads that are done early.
        num_blocks = min(self._count, 4 * min(threads, self._count))
        self._blocks = [list(block) for block in np.array_split(np.arange(self._count), num_blocks)]
        self._is_stopped = threading.Event()
        self._is_closed = False
        self._failures: Dict[int, StepError] = {}
        self._converged = np.ones(self._count, dtype=bool)

    def __len__(self) -> int:
        return self._count

    @property
    def control_names(self) -> List[str]:
        """Names of the scene's controls, in the order of the columns of `step(controls)`."""
        return list(self._names)

    @property
    def num_steps(self) -> int:
        """Number of steps of each world."""
        return self._worlds[0].num_steps

    @property
    def step_numbers(self) -> NDArray[np.int64]:
        """Number of steps that each world has done (count,)."""
        return np.array([world.step_number for world in self._worlds])

    @property
    def done(self) -> NDArray[np.bool_]:
        """True for worlds whose steps are all done, or of which one could not be taken (count,)."""
        return np.array([world.done for world in self._worlds])

    @property
    def converged(self) -> NDArray[np.bool_]:
        """True for worlds whose last step converged (count,)."""
        return self._converged.copy()

    @property
    def failures(self) -> Dict[int, StepError]:
        """Why worlds could not take a step, by their number; until they are restored."""
        return dict(self._failures)

    def step(self, controls: Union[None, NDArray[np.float64], Sequence[Any], Mapping[str, Any]] = None) -> NDArray[np.bool_]:
        """Takes one step in every world that is not done, and returns `converged`.

        controls: an array (count, number of controls) in the order of `control_names`, or a dict of numbers and arrays
        (count,) by their names; None, and names that are missing, leave controls as they are.

        A world whose step could not be taken stays as it was and is done from then on (`failures`). Ctrl-C ends the call
        between steps of worlds, of which some have then done one step more. Raises ValueError and KeyError for controls
        that do not fit, before any world is stepped, and
        RuntimeError in a closed batch.
        """
        if self._is_closed:
            raise RuntimeError("the batch is closed")
        columns = self._columns(controls)
        self._is_stopped.clear()
        futures = [self._pool.submit(self._step_worlds, block, columns) for block in self._blocks]
        try:
            for future in futures:
                future.result()
        except BaseException:
            self._is_stopped.set()
            for future in futures:
                future.exception()
            raise
        return self.converged

    def _columns(self, controls: Any) -> Dict[str, List[float]]:
        """Returns the numbers of each control that is set, one per world."""
        if controls is None:
            return {}
        if isinstance(controls, Mapping):
            values = {name: np.asarray(value, dtype=float) for name, value in controls.items()}
            shape = f"a number or ({self._count},)"
        else:
            array = np.asarray(controls, dtype=float)
            if array.shape != (self._count, len(self._names)):
                raise ValueError(f"controls: expected an array {(self._count, len(self._names))}, one row per world and one "
                                 f"column for each of {self._names}, not {array.shape}")
            values, shape = dict(zip(self._names, array.T)), ""
        for name, value in values.items():
            if name not in self._names:
                raise KeyError(f"no control {_check.short(name)}; there are {', '.join(self._names) or 'none'}")
            if value.shape not in ((), (self._count,)):
                raise ValueError(f"controls[{name!r}]: expected {shape}, not {value.shape}")
        columns = {name: np.broadcast_to(value, self._count) for name, value in values.items()}
        for name, column in columns.items():
            bad = np.flatnonzero(~np.isfinite(column))
            if bad.size > 0:
                raise ValueError(f"controls[{name!r}]: expected finite numbers, not {column[bad[0]]} (world {bad[0]})")
        return {name: column.tolist() for name, column in columns.items()}

    def _step_worlds(self, block: List[int], columns: Dict[str, List[float]]) -> None:
        for number in block:
            if self._is_stopped.is_set():
                return
            world = self._worlds[number]
            if world.done:
                continue
            for name, values in columns.items():
                world._stepper.set_control(name, values[number])
            try:
                self._converged[number] = world._take_step(None).status == "converged"
            except StepError as error:
                self._failures[number] = error
                self._converged[number] = False

    def _stacked(self, of_world: Any) -> NDArray[np.float64]:
        return np.stack([of_world(world) for world in self._worlds])

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions of all vertices [m] (count, n, 3); a copy. In 2D z = 0."""
        return self._stacked(lambda world: world.positions)

    @property
    def velocities(self) -> NDArray[np.float64]:
        """Velocities of all vertices [m/s] (count, n, 3); a copy."""
        return self._stacked(lambda world: world.velocities)

    @property
    def contact_forces(self) -> NDArray[np.float64]:
        """Contact forces on all vertices [N] (count, n, 3), without friction."""
        return self._stacked(lambda world: world.contact_forces)

    @property
    def probes(self) -> Dict[str, NDArray[np.float64]]:
        """Numbers of the scene's probes (count,) by `name [unit]`."""
        of_worlds = [world.probes for world in self._worlds]
        return _check.Named({name: np.array([probes[name] for probes in of_worlds]) for name in of_worlds[0]})

    def poses(self, name: str) -> NDArray[np.float64]:
        """Poses of an affine or rigid body (count, 4, 4): x = T x_start. Raises KeyError, and ValueError for others."""
        return self._stacked(lambda world: world.pose(name))

    def world(self, number: int) -> Simulation:
        """Returns a world, to read it. Raises IndexError."""
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"world: expected a whole number, not {_check.short(number)}")
        if not 0 <= number < self._count:
            raise IndexError(f"world {number}: there are {self._count}, numbered from 0")
        return self._worlds[number]

    def save_states(self) -> List[State]:
        """Returns the states of all worlds, everything that a restart needs."""
        return [world.save_state() for world in self._worlds]

    def restore(self, states: Union[State, Sequence[State]], worlds: Optional[Sequence[int]] = None) -> None:
        """Sets worlds to states: one for all, or one for each. `worlds` are their numbers; None: all worlds. A batch of
        episodes keeps `save_states()` of its start and restores the worlds that have ended."""
        numbers = list(range(self._count)) if worlds is None else [int(number) for number in np.atleast_1d(np.asarray(worlds))]
        chosen = [self.world(number) for number in numbers]
        each = [states] * len(chosen) if isinstance(states, State) else list(states)
        if len(each) != len(chosen):
            raise ValueError(f"states: expected one state, or {len(chosen)}, one for each world, not {len(each)}")
        for number, world, state in zip(numbers, chosen, each):
            world.restore(state)
            self._failures.pop(number, None)
            self._converged[number] = True

    @property
    def warnings(self) -> List[Problem]:
        """Probable mistakes in the scene, and what is not reliable in the steps of any world, by `name`; each name once."""
        seen: Dict[str, Problem] = {}
        for world in self._worlds:
            for problem in world.warnings:
                seen.setdefault(problem.name, problem)
        return list(seen.values())

    def close(self) -> None:
        """Ends the threads and the worlds, and issues the warnings about the steps. `with` closes a batch."""
        if self._is_closed:
            return
        self._is_closed = True
        self._pool.shutdown()
        of_scene = self._worlds[0]._scene_warnings
        told = [problem for problem in self.warnings if problem not in of_scene]
        for world in self._worlds:
            world._stepper.close()
        warn(told)

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _remedy(self, name: str, value: Any) -> str:
        return "a batch is that of its scene; controls are arguments of step(), states are set by restore()"

    def __repr__(self) -> str:
        return f"<Batch: {self._count} worlds>"
