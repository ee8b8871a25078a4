"""Numbers that environments observe."""

from typing import Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from ..simulation import Simulation


def _quaternion(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns (w, x, y, z) of a rotation, w >= 0."""
    m = rotation
    # The largest of these is at least 1/2, so that nothing small is divided by.
    squares = 0.25 * np.array([1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2],
                               1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2]])
    k = int(np.argmax(squares))
    products = 0.25 * np.array([
        [0, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], 0, m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
        [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], 0, m[1, 2] + m[2, 1]],
        [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 0]])
    q = products[k] / np.sqrt(squares[k])
    q[k] = np.sqrt(squares[k])
    return q if q[0] >= 0.0 else -q


def body_numbers(sim: Simulation, name: str) -> NDArray[np.float64]:
    """Returns the state of an affine or rigid body (13,): centre of mass [m], turn from the start as a quaternion (w, x,
    y, z), velocity [m/s], angular velocity [rad/s]."""
    linear, angular = sim.twist(name)
    return np.concatenate([sim.center(name), _quaternion(sim.pose(name)[:3, :3]), linear, angular])


def joint_numbers(sim: Simulation) -> NDArray[np.float64]:
    """Returns positions, velocities and efforts of the hinges and sliders (3 j,). Efforts that are not known, as before the
    first step, are 0."""
    joints = sim.joints
    return np.concatenate([joints.positions, joints.velocities, np.nan_to_num(joints.efforts)])


def contact_numbers(sim: Simulation, pairs: Sequence[Tuple[str, str]]) -> NDArray[np.float64]:
    """Returns the contact force [N] on the first body of each pair by the second (3 n,), without friction. The second
    may be `half_spaces[0]`."""
    return np.concatenate([sim.contact_force(first, second) for first, second in pairs])
