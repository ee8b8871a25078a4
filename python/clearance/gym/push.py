"""Push: a pusher moves a cube on a table to a goal."""

from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from ..scene import Scene
from ..simulation import Simulation
from .env import Env

_HALF, _RADIUS, _HEIGHT = 0.025, 0.012, 0.04  # [m] of the cube and the pusher
_SUBSTEPS, _STEP, _SPEED = 2, 0.02, 0.12  # [s], [m/s]


def _draw(random: np.random.Generator) -> Tuple[NDArray[np.float64], NDArray[np.float64], float, NDArray[np.float64]]:
    """Returns goal, place and turn of the cube, and place of the pusher, in the plane of the table (x, z)."""
    turn, way, direction = random.uniform(-np.pi, np.pi), random.uniform(0.1, 0.2), random.uniform(-np.pi, np.pi)
    place = random.uniform(-0.05, 0.05, 2)
    # The pusher starts anywhere on a circle about the cube.
    angle = random.uniform(-np.pi, np.pi)
    return (place + way * np.array([np.cos(direction), np.sin(direction)]), place, turn,
            place + 0.08 * np.array([np.cos(angle), np.sin(angle)]))


def _scene(steps: int, cube: Sequence[float] = (0.0, 0.0), turn: float = 0.0, pusher: Sequence[float] = (-0.12, 0.0)) -> Scene:
    scene = Scene(time={"step": _STEP, "duration": _STEP * steps}, friction={"coefficient": 0.35})
    scene.add_half_space(point=[0, 0, 0], normal=[0, 1, 0])
    scene.add_body("cube", kind="rigid", mass=0.1, generator={"kind": "box", "size": [2 * _HALF] * 3, "resolution": [1, 1, 1]},
                   transform={"translation": [cube[0], _HALF + 2e-5, cube[1]], "rotation": [0, np.degrees(turn), 0]})
    scene.add_control("pusher_x")
    scene.add_control("pusher_z")
    scene.add_body("pusher", kind="obstacle", motions=[{"displacement": ["pusher_x", "0", "pusher_z"]}],
                   generator={"kind": "cylinder", "size": [_RADIUS, _HEIGHT], "resolution": [24, 1]},
                   transform={"translation": [pusher[0], 0.5 * _HEIGHT + 0.004, pusher[1]]})
    return scene


class Push(Env):
    """A round pusher moves a cube of 0.1 kg and 5 cm on a table (friction 0.35) to a goal 10 to 20 cm away, from a random
    place and turn.

    Action (2,): velocity of the pusher along x and z in [-1, 1], times 0.12 m/s, for 0.04 s. Observation (10,): cube to
    goal (2) [m], pusher to cube (2) [m], sine and cosine of four times the cube's turn, velocity of the cube (2) [m/s],
    goal (2) [m]. Reward: the way by which the cube has come nearer to the goal, in tenths of a metre, less 0.01, and 1
    at the goal. The episode ends when the cube is within 1 cm of it; `info` has `is_success` and `distance` [m]. With
    `output` the one episode of `seed` is stored there.
    """

    goal_radius = 0.01  #: [m]

    def __init__(self, *, max_steps: int = 200, sim: Optional[Simulation] = None, output: Any = None, seed: int = 0):
        self._goal, self._turned, self._last = np.array([0.15, 0.0]), 0.0, 0.0
        where: Tuple[Any, ...] = ()
        if output is not None:
            _, cube, self._turned, pusher = _draw(np.random.default_rng(seed))
            where = cube, self._turned, pusher
        super().__init__(_scene(_SUBSTEPS * max_steps, *where), [-1.0, -1.0], [1.0, 1.0], substeps=_SUBSTEPS,
                         max_steps=max_steps, sim=sim, output=output)
        self._random = np.random.default_rng(seed) if output is not None else self._random
        self._rows = self.sim.body("pusher").vertices
        self._pusher_at_start = self.sim.positions[self._rows].copy()
        self._moved = np.zeros(2)

    def begin(self, random: np.random.Generator) -> None:
        self._goal, place, turn, beside = _draw(random)
        self._moved = np.zeros(2)
        if not self.is_recorded:
            pose = np.eye(4)
            pose[:3, :3] = [[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]]
            pose[[0, 2], 3] = place
            pusher = self._pusher_at_start.copy()
            pusher[:, [0, 2]] += beside - self._pusher_at_start[:, [0, 2]].mean(axis=0)
            self.sim.place({"cube": {"pose": pose, "linear": [0, 0, 0], "angular": [0, 0, 0]},
                            "pusher": {"positions": pusher}})
        self._last = self._distance()

    def act(self, action: NDArray[np.float64]) -> None:
        self._moved = self._moved + _SPEED * _STEP * action
        self.sim.controls["pusher_x"], self.sim.controls["pusher_z"] = self._moved

    def _cube(self) -> NDArray[np.float64]:
        return self.sim.center("cube")[[0, 2]]

    def _distance(self) -> float:
        return float(np.linalg.norm(self._cube() - self._goal))

    def observe(self) -> NDArray[np.float64]:
        cube, pose = self._cube(), self.sim.pose("cube")
        pusher = self.sim.positions[self.sim.body("pusher").vertices][:, [0, 2]].mean(axis=0)
        turn = 4.0 * (np.arctan2(pose[0, 2], pose[0, 0]) + self._turned)
        return np.concatenate([self._goal - cube, pusher - cube, [np.sin(turn), np.cos(turn)],
                               self.sim.twist("cube")[0, [0, 2]], self._goal])

    def reward(self) -> float:
        distance = self._distance()
        gain, self._last = 10.0 * (self._last - distance) - 0.01, distance
        return gain + (1.0 if self.is_done() else 0.0)

    def is_done(self) -> bool:
        return self._distance() < self.goal_radius

    def facts(self) -> Dict[str, Any]:
        return {"is_success": self.is_done(), "distance": self._distance()}


class push_from_behind:
    """A policy for Push that goes round the cube and pushes it from behind; four numbers shape it: the distance from the
    cube at which it goes round [m], how far to the side it aims against the cube's drift (in shares of its distance from
    the line to the goal), the width [m] within which it pushes, and the gain of the way to where it aims [1/m]."""

    #: found by `cross_entropy` in python/examples/learn_push.py
    trained = (0.055, 1.0, 0.008, 120.0)

    def __init__(self, parameters: Sequence[float] = trained):
        self._round, self._side, self._width, self._gain = (float(one) for one in parameters)
        self._is_pushing = False

    def __call__(self, observation: NDArray[np.float64]) -> NDArray[np.float64]:
        to_goal, pusher = observation[:2], observation[2:4]
        along = to_goal / max(float(np.linalg.norm(to_goal)), 1e-9)
        across = np.array([-along[1], along[0]])
        behind, beside = -float(pusher @ along), float(pusher @ across)
        # Push while the pusher is behind the cube and near the line through it to the goal.
        width = abs(self._width) * (2.0 if self._is_pushing else 1.0)
        self._is_pushing = behind > 0.02 and abs(beside) < width
        if self._is_pushing:
            return self._limited(along - 20.0 * self._side * beside * across)
        reach = abs(self._round)
        if behind > 0.5 * reach:
            # Behind the cube: straight to the line, at the distance.
            return self._limited(self._gain * (-reach * along - pusher))
        # Round the cube at the distance, on the side where the pusher is.
        radius = max(float(np.linalg.norm(pusher)), 1e-9)
        outward = pusher / radius
        turn = np.array([-outward[1], outward[0]]) * (1.0 if beside >= 0.0 else -1.0)
        return self._limited(turn + self._gain * (reach - radius) * outward)

    @staticmethod
    def _limited(velocity: NDArray[np.float64]) -> NDArray[np.float64]:
        return velocity / max(float(np.linalg.norm(velocity)), 1.0)
