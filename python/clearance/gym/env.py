"""Environments: a scene that is stepped by actions."""

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check
from ..errors import StepError
from ..scene import Scene
from ..simulation import Simulation
from .sensing import body_numbers, contact_numbers, joint_numbers
from .spaces import BaseEnv, Box

Observed = Tuple[NDArray[np.float64], float, bool, bool, Dict[str, Any]]


class Env(BaseEnv):
    """A task with Gymnasium's interface. Subclasses give its scene and what is specific to it:

    `begin(random)` places bodies for a new episode, `take(action)` is called once for each action and `act(action)` before
    each step of the simulation,
    `observe()` returns an array, `reward()` a number, `is_done()` ends an episode, `facts()` goes into `info`.

    scene: a Scene. low, high: bounds of actions. substeps: steps of the simulation per action. max_steps: actions in an
    episode. sim: a simulation of the same scene that somebody else steps (VectorEnv); by default the environment makes
    its own. output: a result folder for one episode, whose start the scene has (`begin` places nothing then).

    Everything is deterministic: the same seed and actions give the same bits.
    """

    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode = None
    spec = None

    def __init__(self, scene: Scene, low: ArrayLike, high: ArrayLike, *, substeps: int = 1, max_steps: int = 200,
                 sim: Optional[Simulation] = None, output: Any = None):
        self.scene = scene
        self.is_recorded = output is not None
        self.substeps = _check.whole_number(substeps, "substeps", 1)
        self.max_steps = _check.whole_number(max_steps, "max_steps", 1)
        self.sim = sim if sim is not None else Simulation(scene, output, threads=1, steps=self.num_sim_steps)
        self.action_space = Box(low, high)
        self._random = np.random.default_rng()
        self._start = self.sim.save_state()
        self._count = 0
        self._failure: Optional[str] = None
        observed = self.observe()
        self.observation_space = Box(-np.inf, np.inf, observed.shape)

    @property
    def num_sim_steps(self) -> int:
        """Steps of the simulation in an episode."""
        return self.substeps * self.max_steps

    @property
    def unwrapped(self) -> "Env":
        return self

    # Subclasses override these, which make the task.

    def begin(self, random: np.random.Generator) -> None:
        """Places bodies for a new episode (`Simulation.place`, `set_joints`); the scene is at its start."""

    def take(self, action: NDArray[np.float64]) -> None:
        """Takes an action, once, before the steps of the simulation."""

    def act(self, action: NDArray[np.float64]) -> None:
        """Sets controls, forces and obstacles for the next step of the simulation."""
        raise NotImplementedError

    def observe(self) -> NDArray[np.float64]:
        raise NotImplementedError

    def reward(self) -> float:
        return 0.0

    def is_done(self) -> bool:
        """True if the task is accomplished, or has failed."""
        return False

    def facts(self) -> Dict[str, Any]:
        """Returns what `info` holds beside the observation; by convention `is_success`."""
        return {}

    # Gymnasium's interface.

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[NDArray[np.float64], Dict[str, Any]]:
        """Begins an episode. A seed decides this start and all later ones."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        if self.is_recorded and self.sim.step_number > 0:
            raise RuntimeError("an environment with `output` has one episode; make another one with another folder")
        if not self.is_recorded:
            self.sim.restore(self._start)
        self._count, self._failure = 0, None
        self.begin(self._random)
        return self.observe(), self.facts()

    def step(self, action: ArrayLike) -> Observed:
        """Takes `substeps` steps of the simulation with an action, which is limited to its bounds. An episode is
        truncated after `max_steps` actions, or if the simulation could not take a step (`info["failure"]`)."""
        bounded = self.bounded(action)
        self.take(bounded)
        for _ in range(self.substeps):
            self.act(bounded)
            try:
                self.sim._take_step(None)
            except StepError as error:
                self._failure = str(error)
                break
        return self.result()

    def bounded(self, action: ArrayLike) -> NDArray[np.float64]:
        """Returns an action within its bounds. Raises ValueError for other shapes and for numbers that are not finite."""
        array = np.asarray(action, dtype=np.float64)
        if array.shape != self.action_space.shape:
            raise ValueError(f"action: expected the shape {self.action_space.shape}, not {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"action: expected finite numbers, not {array}")
        return np.clip(array, self.action_space.low, self.action_space.high)

    def result(self) -> Observed:
        """Returns what a step gives, after the steps of the simulation."""
        self._count += 1
        terminated = self._failure is None and bool(self.is_done())
        truncated = not terminated and (self._failure is not None or self._count >= self.max_steps)
        info = self.facts()
        if self._failure is not None:
            info["failure"] = self._failure
        return self.observe(), float(self.reward()), terminated, truncated, info

    def render(self) -> None:
        """Draws nothing: `clearance render` and `Simulation(output=...)` do."""

    def close(self) -> None:
        if not self.sim._stepper.closed:
            self.sim.close()

    def __enter__(self) -> "Env":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _add_joint_probes(scene: Scene) -> None:
    """Gives every hinge and slider that has a name a probe, which measures its effort."""
    probes = scene.data.get("output", {}).get("probes", [])
    measured = {probe.get("joint") for probe in probes if probe.get("kind") == "joint"}
    taken = {probe.get("name") for probe in probes}
    for joint in scene.data.get("joints", []):
        name = joint.get("name")
        if not name or name in measured or joint.get("kind", "hinge") not in ("hinge", "slider"):
            continue
        label = name
        while label in taken:
            label += "_joint"
        taken.add(label)
        scene.add_probe(label, kind="joint", joint=name)


def _bounds_of(actions: Mapping[str, Tuple[float, float]]) -> NDArray[np.float64]:
    """Returns a row with the least and the largest value of each control."""
    rows = []
    for name, bounds in actions.items():
        try:
            low, high = (float(bound) for bound in bounds)
        except (TypeError, ValueError):
            raise ValueError(f"actions[{name!r}]: expected the bounds (least, largest) of the control, not "
                             f"{_check.short(bounds)}") from None
        if not low <= high:
            raise ValueError(f"actions[{name!r}]: expected a largest value that is not below the least one, not "
                             f"({low:g}, {high:g})")
        rows.append((low, high))
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


class SceneEnv(Env):
    """An environment of any scene: actions are controls, observations are joints, bodies and contacts.

    actions: bounds of controls by name, `{"shoulder": (-5, 5)}`; actions out of bounds are clipped to them. bodies: affine and rigid bodies to observe. contacts:
    pairs of bodies whose contact forces are observed. joints: whether hinges and sliders are. reward, done: functions
    of the environment. begin: function(env, random) that places bodies.
    """

    def __init__(self, scene: Any, actions: Mapping[str, Tuple[float, float]], *, bodies: Sequence[str] = (),
                 contacts: Sequence[Tuple[str, str]] = (), joints: bool = True,
                 reward: Optional[Callable[["SceneEnv"], float]] = None, done: Optional[Callable[["SceneEnv"], bool]] = None,
                 begin: Optional[Callable[["SceneEnv", np.random.Generator], None]] = None, substeps: int = 1,
                 max_steps: int = 200, sim: Optional[Simulation] = None):
        scene = scene.copy() if isinstance(scene, Scene) else Scene.load(_check.path(scene, "scene"))
        if joints:
            _add_joint_probes(scene)
        self._names = list(actions)
        self._bodies, self._pairs, self._has_joints = list(bodies), list(contacts), joints
        self._reward, self._done, self._begin = reward, done, begin
        bounds = _bounds_of(actions)
        super().__init__(scene, bounds[:, 0], bounds[:, 1], substeps=substeps, max_steps=max_steps, sim=sim)
        for name in self._names:
            self.sim.controls[name]  # raises KeyError with the names that there are

    def begin(self, random: np.random.Generator) -> None:
        if self._begin is not None:
            self._begin(self, random)

    def act(self, action: NDArray[np.float64]) -> None:
        for name, value in zip(self._names, action):
            self.sim.controls[name] = value

    def observe(self) -> NDArray[np.float64]:
        parts = [joint_numbers(self.sim)] if self._has_joints else []
        parts += [body_numbers(self.sim, name) for name in self._bodies]
        if self._pairs:
            parts.append(contact_numbers(self.sim, self._pairs))
        return np.concatenate(parts) if parts else np.zeros(0)

    def reward(self) -> float:
        return 0.0 if self._reward is None else float(self._reward(self))

    def is_done(self) -> bool:
        return False if self._done is None else bool(self._done(self))
