"""Continuous collision detection of many pairs at once: do two primitives meet while their vertices move on straight
lines from t0 to t1?

Positions are arrays (n, 4, 3) [m], in 2D (n, 3, 2): point and triangle as p, t0, t1, t2; edges as ea0, ea1, eb0, eb1;
point and edge as p, e0, e1. No impact is missed or reported late, on any input. With `exact`,
no false impact is reported (except for a Euclidean min_separation > 0, where rounding is left open). Other threads go
on meanwhile.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import core


class Impacts(NamedTuple):
    """The answers for n pairs."""

    is_impact: NDArray[np.bool_]  #: (n,)
    toi: NDArray[np.float64]  #: (n,) in [0, 1], never later than the first time of impact; 1: none
    is_certain: NDArray[np.bool_]  #: (n,) `is_impact` is the exact answer


def point_triangle(t0: ArrayLike, t1: ArrayLike, *, min_separation: float = 0.0, exact: bool = True) -> Impacts:
    """Tests points against triangles; t0 and t1 are (n, 4, 3). Raises ValueError for other shapes."""
    return Impacts(*core.point_triangle_ccd(_batch(t0), _batch(t1), float(min_separation), bool(exact)))


def edge_edge(t0: ArrayLike, t1: ArrayLike, *, min_separation: float = 0.0, exact: bool = True) -> Impacts:
    """Tests edges against edges; t0 and t1 are (n, 4, 3). Raises ValueError for other shapes."""
    return Impacts(*core.edge_edge_ccd(_batch(t0), _batch(t1), float(min_separation), bool(exact)))


def point_edge(t0: ArrayLike, t1: ArrayLike, *, min_separation: float = 0.0, exact: bool = True) -> Impacts:
    """Tests points against edges in the plane; t0 and t1 are (n, 3, 2). Raises ValueError for other shapes."""
    return Impacts(*core.point_edge_ccd(_batch(t0), _batch(t1), float(min_separation), bool(exact)))


def _batch(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"expected an array of numbers, not of {array.dtype}")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("expected finite numbers")
    return array
