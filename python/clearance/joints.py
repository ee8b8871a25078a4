"""Joints of a simulation as arrays, and the places of bodies that follow from them."""

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import NDArray


class Joints(NamedTuple):
    """Hinges and sliders of a scene, in the order of `Simulation.joint_names`; j numbers each."""

    positions: NDArray[np.float64]  #: (j,) [rad] with turns or [m], 0 at the scene's start
    velocities: NDArray[np.float64]  #: (j,) [rad/s] or [m/s]
    efforts: NDArray[np.float64]  #: (j,) [N m] or [N] of drive, effort, limits and couplings; without spring, damper, friction


def _rotation(axis: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    """Returns the rotation about a unit axis (3, 3)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


def _motion(kind: str, point: NDArray[np.float64], axis: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """Returns the pose (4, 4) of the first body of a joint beside the second, both as at the start."""
    pose = np.eye(4)
    if kind == "hinge":
        pose[:3, :3] = _rotation(axis, value)
        pose[:3, 3] = point - pose[:3, :3] @ point
    elif kind == "slider":
        pose[:3, 3] = value * axis
    return pose


class _Joint(NamedTuple):
    name: str
    kind: str
    body: str
    parent: str  #: empty: the world
    point: NDArray[np.float64]  #: [m] at the scene's start
    axis: NDArray[np.float64]  #: unit vector at the scene's start
    mimic: Optional[Dict[str, Any]]

    @property
    def unit(self) -> float:
        """Degrees of the scene per radian here, or 1."""
        return 180.0 / np.pi if self.kind == "hinge" else 1.0


def _joint(desc: Dict[str, Any]) -> _Joint:
    """Returns a joint of a scene that has been checked, with its defaults."""
    point, axis = np.zeros(3), np.array([0.0, 1.0, 0.0])
    given = np.asarray(desc.get("point", ()), dtype=float)
    point[:len(given)] = given
    kind = desc.get("kind", "hinge")
    if "axis" in desc:
        axis = np.zeros(3)
        axis[:len(desc["axis"])] = desc["axis"]
    first, second = desc["bodies"]
    length = float(np.linalg.norm(axis))
    return _Joint(desc.get("name", ""), kind, first, second, point, axis / (length or 1.0), desc.get("mimic"))


class Tree:
    """The joints of a scene as a tree of bodies that hang on each other or on the world."""

    def __init__(self, joints: List[Dict[str, Any]]):
        self._joints = [_joint(desc) for desc in joints]
        self.moving = [number for number, joint in enumerate(self._joints) if joint.kind in ("hinge", "slider")]
        self.names = [self._joints[number].name or f"joints[{number}]" for number in self.moving]

    def read(self, sim: Any) -> Joints:
        """Returns the joints in the present state. Efforts are those of the last step, which probes have."""
        positions, velocities = sim._stepper.joints
        probes = sim._stepper.probes
        probe_of = {probe["joint"]: probe["name"] for probe in sim._probes if probe.get("kind") == "joint"}
        efforts = []
        for number in self.moving:
            joint = self._joints[number]
            unit = "N m" if joint.kind == "hinge" else "N"
            name = probe_of.get(joint.name) if joint.name else None
            efforts.append(probes.get(f"{name}.effort [{unit}]", np.nan))
        return Joints(positions[self.moving], velocities[self.moving], np.array(efforts))

    @staticmethod
    def _axis_in_space(joint: _Joint, dim: int) -> _Joint:
        """In the plane every hinge turns about z."""
        return joint._replace(axis=np.array([0.0, 0.0, 1.0])) if dim == 2 and joint.kind == "hinge" else joint

    @staticmethod
    def _motion_of(name: str, unknowns: Any, sim: Any) -> Tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Returns pose, twist and centre of mass of a body, or those of the world."""
        if not name:
            return np.eye(4), np.zeros((2, 3)), np.zeros(3)
        number = sim.body(name).number
        return sim.pose(name), unknowns.twist(number), unknowns.center(number)

    def _numbers_of(self, given: Dict[str, float]) -> Dict[int, float]:
        by_name = dict(zip(self.names, self.moving))
        for name in given:
            if name not in by_name:
                raise KeyError(f"no hinge or slider {name!r}; there are {', '.join(self.names) or 'none'}")
        return {by_name[name]: float(value) for name, value in given.items()}

    def values(self, given: Dict[str, float], present: NDArray[np.float64]) -> Dict[int, float]:
        """Returns the value of every hinge and slider by its number. Those that follow others (`mimic`) follow."""
        values = {number: float(value) for number, value in zip(self.moving, present)}
        values.update(self._numbers_of(given))
        return self._followed(values, 1.0)

    def rates(self, given: Dict[str, float]) -> Dict[int, float]:
        return self._followed({**dict.fromkeys(self.moving, 0.0), **self._numbers_of(given)}, 0.0)

    def _followed(self, values: Dict[int, float], share_of_offset: float) -> Dict[int, float]:
        by_name = dict(zip(self.names, self.moving))
        for _ in self.moving:
            for number in self.moving:
                joint = self._joints[number]
                if joint.mimic is None or joint.mimic["joint"] not in by_name:
                    continue
                leader = by_name[joint.mimic["joint"]]
                led = joint.mimic.get("multiplier", 1.0) * self._joints[leader].unit * values[leader]
                values[number] = (led + share_of_offset * joint.mimic.get("offset", 0.0)) / joint.unit
        return values

    def place(self, values: Dict[int, float], rates: Dict[int, float], sim: Any) -> Dict[str, Dict[str, Any]]:
        """Returns pose, linear and angular velocity of every body that hangs on a joint."""
        unknowns = sim._unknowns()
        hangs_on = self._tree()
        motions: Dict[str, Tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]] = {}

        def motion_of(name: str) -> Tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
            """Pose, velocity of the body's point at the origin, and angular velocity."""
            if name in motions:
                return motions[name]
            if name not in hangs_on:
                pose, (linear, angular), center = self._motion_of(name, unknowns, sim)
                motions[name] = pose, linear - np.cross(angular, center), angular
                return motions[name]
            number = hangs_on[name]
            joint = self._axis_in_space(self._joints[number], unknowns.dim)
            base, origin, turn = motion_of(joint.parent)
            pose = base @ _motion(joint.kind, joint.point, joint.axis, values[number])
            axis, point = base[:3, :3] @ joint.axis, base[:3, :3] @ joint.point + base[:3, 3]
            if joint.kind == "hinge":
                origin, turn = origin - np.cross(rates[number] * axis, point), turn + rates[number] * axis
            else:
                origin = origin + rates[number] * axis
            motions[name] = pose, origin, turn
            return motions[name]

        placed = {}
        for body in hangs_on:
            pose, origin, angular = motion_of(body)
            now, center = sim.pose(body), unknowns.center(sim.body(body).number)
            at_start = np.linalg.solve(now[:3, :3], center - now[:3, 3])
            center = pose[:3, :3] @ at_start + pose[:3, 3]
            placed[body] = {"pose": pose, "linear": origin + np.cross(angular, center), "angular": angular}
        return placed

    def _tree(self) -> Dict[str, int]:
        """Returns the joint that each body hangs on. Raises ValueError for mechanisms that are no trees."""
        hangs_on: Dict[str, int] = {}
        for number, joint in enumerate(self._joints):
            if number not in self.moving or joint.body in hangs_on:
                what = f"a {joint.kind} joint" if number not in self.moving else "a second joint"
                raise ValueError(f"joint {joint.name or number!r} is {what} of '{joint.body}'; only trees of hinges and "
                                 "sliders are placed by their joints: use place() with poses")
            hangs_on[joint.body] = number
        for body in hangs_on:
            seen: List[str] = []
            at = body
            while at in hangs_on:
                if at in seen:
                    raise ValueError(f"the joints of '{body}' form a loop; use place() with poses")
                seen.append(at)
                at = self._joints[hangs_on[at]].parent
        return hangs_on
