"""Spaces of actions and observations: Gymnasium's Box where it is installed, else one that behaves alike."""

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

try:
    import gymnasium  # type: ignore
except ImportError:
    gymnasium = None


class _Box:
    """Arrays between two bounds."""

    def __init__(self, low: ArrayLike, high: ArrayLike, shape: Optional[Tuple[int, ...]] = None, dtype: Any = np.float64,
                 seed: Optional[int] = None):
        shape = np.broadcast_shapes(np.shape(low), np.shape(high), shape or ())
        self.low = np.broadcast_to(np.asarray(low, dtype=dtype), shape).copy()
        self.high = np.broadcast_to(np.asarray(high, dtype=dtype), shape).copy()
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.seed(seed)

    def seed(self, seed: Optional[int] = None) -> None:
        self._random = np.random.default_rng(seed)

    def sample(self) -> NDArray[np.float64]:
        """Returns a random array: uniform between bounds, normal where there are none."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0)
        drawn = np.where(bounded, self._random.uniform(low, high), self._random.normal(size=self.shape))
        return np.clip(drawn, self.low, self.high).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        array = np.asarray(x)
        return array.shape == self.shape and bool(np.all(array >= self.low) and np.all(array <= self.high))

    __contains__ = contains

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Box) and np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high)

    def __repr__(self) -> str:
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


def Box(low: ArrayLike, high: ArrayLike, shape: Optional[Tuple[int, ...]] = None) -> Any:
    """Returns the space of float64 arrays between two bounds."""
    if gymnasium is None:
        return _Box(low, high, shape)
    shape = np.broadcast_shapes(np.shape(low), np.shape(high), shape or ())
    return gymnasium.spaces.Box(np.broadcast_to(np.asarray(low, dtype=np.float64), shape),
                                np.broadcast_to(np.asarray(high, dtype=np.float64), shape), dtype=np.float64)


#: Gymnasium's Env where it is installed, so that its wrappers and checkers accept ours.
BaseEnv: Any = object if gymnasium is None else gymnasium.Env
