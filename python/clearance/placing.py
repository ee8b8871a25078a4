"""Places and velocities of bodies in a state: what `Simulation.place` and `twist` read and write."""

from typing import Any, Dict, List, Mapping, Tuple

import numpy as np
from numpy.typing import NDArray

_STIFF = ("affine", "rigid")
Bodies = List[Tuple[str, str, slice, int]]


class Unknowns:
    """The unknowns of a state by bodies. A stiff body has a centre of mass and the columns of its map; every other body a
    row for each vertex."""

    def __init__(self, state: Any, bodies: Bodies):
        self.step, self.time, self.arrays, self.start = state.__reduce__()[1]
        self.arrays = {name: np.array(values) for name, values in self.arrays.items()}
        self._bodies = bodies
        self.dim, self.first = self._find_blocks()

    def _find_blocks(self) -> Tuple[int, List[int]]:
        for dim in (3, 2):
            sizes = [dim + 1 if kind in _STIFF else rows.stop - rows.start for _, kind, rows, _ in self._bodies]
            if dim * sum(sizes) == len(self.arrays["x"]):
                return dim, [int(first) for first in np.concatenate([[0], np.cumsum(sizes)])]
        raise ValueError("a body has unknowns beside its vertices (elements of higher order, slopes of shells, angles of "
                         "rods, stiff parts, a proxy); such scenes cannot be placed by arrays")

    def is_stiff(self, number: int) -> bool:
        return self._bodies[number][1] in _STIFF

    def rows(self, name: str, number: int) -> NDArray[np.float64]:
        """Returns the rows (n, dim) of a body in an array of the state, to read and to write."""
        rows: NDArray[np.float64] = self.arrays[name].reshape(-1, self.dim)[self.first[number]:self.first[number + 1]]
        return rows

    def center(self, number: int) -> NDArray[np.float64]:
        """Centre of mass of a stiff body [m] (3,)."""
        return self._in_space(self.rows("x", number)[0])

    def twist(self, number: int) -> NDArray[np.float64]:
        """Velocity of the centre of mass [m/s] and angular velocity [rad/s] of a stiff body (2, 3)."""
        columns, rates = self.rows("x", number)[1:].T, self.rows("v", number)[1:].T
        spin = np.zeros((3, 3))
        spin[:self.dim, :self.dim] = rates @ np.linalg.inv(columns)
        angular = 0.5 * np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]])
        return np.stack([self._in_space(self.rows("v", number)[0]), angular])

    def _in_space(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([row, np.zeros(3 - self.dim)])

    def place_stiff(self, number: int, before: NDArray[np.float64], numbers: Mapping[str, NDArray[np.float64]]) -> None:
        """Places a stiff body whose pose is `before`."""
        x, v, dim = self.rows("x", number), self.rows("v", number), self.dim
        linear, angular = self.twist(number)
        if "pose" in numbers:
            turn, shift = _rotation_of(numbers["pose"]), numbers["pose"][:3, 3]
            back = np.linalg.inv(before[:3, :3])
            x[1:] = (x[1:] @ back[:dim, :dim].T) @ turn[:dim, :dim].T
            center = turn @ (back @ (self.center(number) - before[:3, 3])) + shift
            x[0] = center[:dim]
        linear, angular = numbers.get("linear", linear), numbers.get("angular", angular)
        v[0] = linear[:dim]
        for c in range(1, dim + 1):
            v[c] = np.cross(angular, self._in_space(x[c]))[:dim]

    def place_vertices(self, number: int, numbers: Mapping[str, NDArray[np.float64]]) -> None:
        if "positions" in numbers:
            # Prescribed nodes go on from there.
            self.rows("x", number)[:] = self.rows("x_anchor", number)[:] = numbers["positions"][:, :self.dim]
        if "velocities" in numbers:
            self.rows("v", number)[:] = numbers["velocities"][:, :self.dim]

    def forget_past(self, numbers: List[int]) -> None:
        """Lets bodies begin anew: integrators, friction that sticks, turns of joints and accounts of energy."""
        for number in numbers:
            self.rows("a", number)[:] = 0.0
            if self.arrays["has_history"].size:
                self.arrays["has_history"][self.first[number]:self.first[number + 1]] = 0.0
        if not self.arrays["has_history"].size:
            for name in ("x_prev", "v_prev"):
                self.arrays[name] = np.zeros(0)
        for name in ("stick", "stored"):
            self.arrays[name] = np.zeros(0)
        if "turns" in self.arrays:
            self.arrays["turns"][:] = 0.0


def _rotation_of(pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the rotation of a pose without rounding. Raises ValueError if it is none."""
    turn = pose[:3, :3]
    if np.abs(turn.T @ turn - np.eye(3)).max() > 1e-6 or np.linalg.det(turn) < 0.0:
        raise ValueError("pose: expected a rotation and a shift, x = T x_start")
    u, _, w = np.linalg.svd(turn)
    nearest: NDArray[np.float64] = u @ w
    return nearest


def check_keys(name: str, is_stiff: bool, numbers: Mapping[str, Any]) -> None:
    """Raises KeyError for keys that a body of its kind does not have."""
    keys = ("pose", "linear", "angular") if is_stiff else ("positions", "velocities")
    for key in numbers:
        if key not in keys:
            raise KeyError(f"place: {name!r} has no {key!r}; {'a stiff body' if is_stiff else 'this body'} has "
                           f"{', '.join(keys)}")


def shapes_of(is_stiff: bool, rows: int) -> Dict[str, Tuple[int, ...]]:
    if is_stiff:
        return {"pose": (4, 4), "linear": (3,), "angular": (3,)}
    return {"positions": (rows, 3), "velocities": (rows, 3)}
