"""Distances and the barrier with their derivatives, for users who write their own solver."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import core
from .ccd import _batch


class Distances(NamedTuple):
    """The distances of n pairs."""

    squared: NDArray[np.float64]  #: (n,) [m^2]
    gradient: NDArray[np.float64]  #: (n, 4, 3) [m] gradient of the squared distance by the positions
    #: (n, 4) weights whose sum of weight times position leads from the second closest point to the first
    weights: NDArray[np.float64]


class Barriers(NamedTuple):
    """The barrier at n squared distances s."""

    value: NDArray[np.float64]  #: (n,) [m^4]
    first: NDArray[np.float64]  #: (n,) [m^2] derivative by s
    second: NDArray[np.float64]  #: (n,) second derivative by s


def point_triangle_distance(x: ArrayLike) -> Distances:
    """Returns the distances of points and triangles. x: (n, 4, 3) [m], p, t0, t1, t2. Closest features as in [Fer23,
    app. A.7]."""
    return Distances(*core.point_triangle_distance(_batch(x)))


def edge_edge_distance(x: ArrayLike) -> Distances:
    """Returns the distances of pairs of edges. x: (n, 4, 3) [m], ea0, ea1, eb0, eb1. Closest features as in [Fer23,
    app. A.7]."""
    return Distances(*core.edge_edge_distance(_batch(x)))


def barrier(distance_sq: ArrayLike, dhat: float, *, min_separation: float = 0.0) -> Barriers:
    """Returns the smoothly clamped barrier of [Fer23, eq. 2.6] at squared distances [m^2] (n,): infinite at and
    below `min_separation` [m], zero beyond `dhat + min_separation` [m]."""
    return Barriers(*core.barrier(_batch(distance_sq), float(dhat), float(min_separation)))
