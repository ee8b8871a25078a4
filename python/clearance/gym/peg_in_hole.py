"""PegInHole: a round peg goes into a hole that is a tenth of a millimetre wider, at a place that is not known."""

from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ..scene import Scene
from ..simulation import Simulation
from .env import Env

_RADIUS, _LENGTH, _DEPTH, _CHAMFER = 0.01, 0.04, 0.025, 0.0005  # [m]
_TIP = np.array([0.0, 0.003, 0.0])  # [m] middle of the tip in the scene
_SIDES = 48
_STEP, _SUBSTEPS = 0.004, 5  # [s]
_MASS = 0.1  # [kg]
# The hand holds the peg by springs with dampers (impedance control), about the middle of its tip.
_STIFFNESS, _DAMPING = 150.0, 6.0  # [N/m], [N s/m]
_TURNING, _TURN_DAMPING = 0.15, 2.2e-3  # [N m/rad], [N m s/rad]
_WAY = 4e-4  # [m] of the hand per action
_CONTROLS = ("force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z")
_MOST_PULL = 0.03  # [m] that the hand may be ahead of the peg


def _revolved(profile: NDArray[np.float64]) -> Tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Turns a profile of (radius, height), counterclockwise, about y. Points at radius 0 become one vertex. Returns
    vertices and triangles of the closed surface."""
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    vertices: List[Tuple[float, float, float]] = []
    first = []
    for radius, height in profile:
        first.append((len(vertices), 1 if radius == 0.0 else _SIDES))
        around = angles[:1] if radius == 0.0 else angles
        vertices += [(radius * np.cos(a), height, radius * np.sin(a)) for a in around]
    triangles = []
    for (a, num_a), (b, num_b) in zip(first, first[1:] + first[:1]):
        if num_a == num_b == 1:
            continue
        for k in range(_SIDES):
            at = [a + k % num_a, a + (k + 1) % num_a, b + (k + 1) % num_b, b + k % num_b]
            if num_b > 1:
                triangles.append((at[0], at[2], at[3]))
            if num_a > 1:
                triangles.append((at[0], at[1], at[2]))
    return np.array(vertices), np.array(triangles, dtype=np.int32)


def _draw(random: np.random.Generator) -> Tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns where the hole is said to be, from where it is, and the pose (4, 4) in which the peg starts."""
    off, direction = 1.5e-3 * np.sqrt(random.uniform()), random.uniform(-np.pi, np.pi)
    said = np.array([off * np.cos(direction), 0.0, off * np.sin(direction)])
    tilt, about, yaw = np.radians(random.uniform(0, 1)), random.uniform(-np.pi, np.pi), random.uniform(-np.pi, np.pi)
    axis = np.array([np.cos(about), 0.0, np.sin(about)])
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + np.sin(tilt) * cross + (1 - np.cos(tilt)) * cross @ cross
    spin = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    pose = np.eye(4)
    pose[:3, :3] = turn @ spin
    # The scene has the tip above the hole; the peg turns about the tip and moves to the place said.
    pose[:3, 3] = _TIP + said - pose[:3, :3] @ _TIP
    return said, pose


def _scene(clearance: float, steps: int, start: NDArray[np.float64]) -> Scene:
    r, c = _RADIUS, _CHAMFER
    # The sides of the hole touch its circle from outside, and the corners of the peg lie on its own, so that what is
    # between them is at least the clearance.
    hole = (r + 0.5 * clearance) / np.cos(np.pi / _SIDES)
    peg = _revolved(np.array([(0, 0), (r - c, 0), (r, c), (r, _LENGTH), (0, _LENGTH)]))
    block = _revolved(np.array([(hole, -_DEPTH), (3 * r, -_DEPTH), (3 * r, 0), (hole + c, 0), (hole, -c)]))
    scene = Scene(time={"step": _STEP, "duration": _STEP * steps}, friction={"coefficient": 0.2}, gravity=[0, 0, 0],
                  contact={"dhat": min(1e-5, 0.1 * clearance), "dhat_is_absolute": True})
    scene.add_body("block", kind="obstacle", vertices=block[0], triangles=block[1])
    for name in _CONTROLS:
        scene.add_control(name)
    scene.add_body("peg", kind="rigid", mass=_MASS, vertices=(peg[0] + _TIP) @ start[:3, :3].T + start[:3, 3],
                   triangles=peg[1],
                   loads=[{"kind": "force", "expression": list(_CONTROLS[:3])},
                          {"kind": "torque", "expression": list(_CONTROLS[3:])}])
    return scene


class PegInHole(Env):
    """A steel-like peg of 20 mm goes into a hole of 25 mm depth that is 0.1 mm wider (`clearance` [m], in diameter). A hand
    holds the peg by springs (150 N/m, 0.15 N m/rad), as a robot with impedance control does, and moves by actions. Where
    the hole is, is known to 1.5 mm only, and the peg starts tilted by up to one degree.

    Action (3,): motion of the hand along x, y, z in [-1, 1], times 0.4 mm, in 0.02 s. Observation (15,): tip of the peg and
    hand (3 + 3) [m] from where the hole is said to be, turn of the peg (3) [rad], velocity of its centre (3) [m/s], force
    of the hand (3) [N]. Reward: the depth gained [cm], less 0.01, and 1 at the end. The episode ends when the tip is 20 mm
    deep; `info` has `is_success`, `depth` [m] and `off` [m], how wrong the place of the hole is. With `output` the one
    episode of `seed` is stored there, so that `clearance.verify` can judge it.
    """

    depth_wanted = 0.02  #: [m]

    def __init__(self, *, clearance: float = 1e-4, max_steps: int = 250, sim: Optional[Simulation] = None, output: Any = None,
                 seed: int = 0):
        if not 1e-5 <= clearance <= 2e-3:
            raise ValueError(f"clearance: expected 1e-5 to 2e-3 m, not {clearance}")
        self._said = np.zeros(3)
        self._hand = np.zeros(3)
        self._force = np.zeros(3)
        self._last = 0.0
        # Pose of the peg in the scene beside the one that an environment without `output` starts from.
        self._at_start = np.eye(4) if output is None else _draw(np.random.default_rng(seed))[1]
        super().__init__(_scene(clearance, _SUBSTEPS * max_steps, self._at_start), -np.ones(3), np.ones(3), substeps=_SUBSTEPS,
                         max_steps=max_steps, sim=sim, output=output)
        self._random = np.random.default_rng(seed) if output is not None else self._random

    def begin(self, random: np.random.Generator) -> None:
        self._said, pose = _draw(random)
        if not self.is_recorded:
            self.sim.place({"peg": {"pose": pose, "linear": [0, 0, 0], "angular": [0, 0, 0]}})
        self._hand = self._tip()
        self._force = np.zeros(3)
        self._last = self._depth()

    def _pose(self) -> NDArray[np.float64]:
        return self.sim.pose("peg") @ self._at_start

    def _tip(self) -> NDArray[np.float64]:
        pose = self._pose()
        return pose[:3, :3] @ _TIP + pose[:3, 3]

    def _turn(self) -> NDArray[np.float64]:
        """Rotation vector of the tilt [rad], without the spin about the peg's axis."""
        axis = self._pose()[:3, 1]
        return np.cross([0.0, 1.0, 0.0], axis)

    def _depth(self) -> float:
        return -float(self._tip()[1])

    def take(self, action: NDArray[np.float64]) -> None:
        tip = self._tip()
        self._hand = np.clip(self._hand + _WAY * action, tip - _MOST_PULL, tip + _MOST_PULL)

    def act(self, action: NDArray[np.float64]) -> None:
        sim = self.sim
        linear, angular = sim.twist("peg")
        arm = self._tip() - sim.center("peg")
        tip_velocity = linear + np.cross(angular, arm)
        self._force = _STIFFNESS * (self._hand - self._tip()) - _DAMPING * tip_velocity
        torque = np.cross(arm, self._force) - _TURNING * self._turn() - _TURN_DAMPING * angular
        for name, value in zip(_CONTROLS, np.concatenate([self._force, torque])):
            sim.controls[name] = value

    def observe(self) -> NDArray[np.float64]:
        return np.concatenate([self._tip() - self._said, self._hand - self._said, self._turn(),
                               self.sim.twist("peg")[0], self._force])

    def reward(self) -> float:
        depth = self._depth()
        gain, self._last = 100.0 * (depth - self._last) - 0.01, depth
        return gain + (1.0 if self.is_done() else 0.0)

    def is_done(self) -> bool:
        return self._depth() > self.depth_wanted

    def facts(self) -> Dict[str, Any]:
        return {"is_success": self.is_done(), "depth": self._depth(), "off": float(np.linalg.norm(self._said))}


class search_for_hole:
    """A policy for PegInHole: it goes down until it feels the block, moves in a spiral under light pressure until the peg
    sinks, and pushes it in while the hand follows the peg sideways. `pitch` [m] is the width of the spiral, `press` [m] how
    far the hand is below the tip meanwhile."""

    def __init__(self, pitch: float = 4e-4, press: float = 4e-3):
        self._pitch, self._press = pitch, press
        self._angle = 0.0
        self._is_searching = False

    def __call__(self, observation: NDArray[np.float64]) -> NDArray[np.float64]:
        tip, hand = observation[:3], observation[3:6]
        if tip[1] < -0.8e-3:
            # In the hole: down, and sideways to where the peg is.
            wanted = np.array([tip[0], min(tip[1] - self._press, hand[1] - _WAY), tip[2]])
        elif not self._is_searching:
            wanted = np.array([0.0, hand[1] - _WAY, 0.0])
            self._is_searching = tip[1] - hand[1] > 0.5 * self._press
        else:
            radius = self._pitch * self._angle / (2.0 * np.pi)
            # The same way along the spiral in every action.
            self._angle += 0.35 * _WAY / max(radius, 1e-4)
            wanted = np.array([radius * np.cos(self._angle), tip[1] - self._press, radius * np.sin(self._angle)])
        return np.clip((wanted - hand) / _WAY, -1.0, 1.0)
