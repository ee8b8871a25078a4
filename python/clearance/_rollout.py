"""A run as a function of numbers of its scene, for the modules that differentiate programs (torch, jax)."""

import re
from collections import OrderedDict
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _check
from .derivatives import Recording, record
from .scene import Scene

# Recordings that wait for their backward pass.
_MOST_KEPT = 4


def _set(data: Any, path: str, value: Any) -> None:
    """Sets the number or the list of numbers at a path, `bodies[0].material.density`."""
    parts: List[Any] = []
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        parts.append(name or int(index))
    at = data
    try:
        for part, following in zip(parts, parts[1:]):
            if isinstance(part, str) and isinstance(at, dict) and part not in at and isinstance(following, str):
                at[part] = {}
            at = at[part]
        if isinstance(parts[-1], int):
            at = at if isinstance(at, list) else None
        at[parts[-1]] = value
    except (KeyError, IndexError, TypeError):
        raise ValueError(f"inputs: the scene has no place {path}; a component of a list needs the list") from None


class Rollout:
    """Maps arrays of numbers of a scene to the columns of its probes, or to the vertices at the end."""

    def __init__(self, scene: Any, paths: Sequence[str], of: Optional[Sequence[str]], steps: Optional[int],
                 budget_mb: float):
        if not isinstance(scene, Scene):
            raise TypeError(f"scene: expected a Scene, not {_check.short(scene)}; cl.Scene.load reads a file")
        if of is not None and (isinstance(of, str) or not all(isinstance(name, str) for name in of)):
            raise TypeError('of: expected a list of columns like ["tip.y"], or None')
        if not paths:
            raise ValueError("inputs: expected at least one number")
        self._scene = scene.copy()
        self._paths = list(paths)
        self._of = None if of is None else list(of)
        self._steps, self._budget_mb = steps, budget_mb
        self._kept: "OrderedDict[bytes, Recording]" = OrderedDict()

    @staticmethod
    def _key(values: Sequence[NDArray[np.float64]]) -> bytes:
        return b"".join(value.tobytes() for value in values)

    def _recording(self, values: Sequence[NDArray[np.float64]]) -> Recording:
        key = self._key(values)
        if key not in self._kept:
            scene = self._scene.copy()
            for path, value in zip(self._paths, values):
                _set(scene.data, path, value.tolist())
            self._kept[key] = record(scene, steps=self._steps, budget_mb=self._budget_mb)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]

    def _columns(self, run: Recording) -> List[str]:
        names = list(run.probes)
        columns = []
        for name in self._of or []:
            found = [column for column in names if column == name or column.split(" [")[0] == name]
            if not found:
                raise ValueError(f"of: the scene has no column {name}; it has {', '.join(names) or 'no probes'}")
            columns.append(found[0])
        return columns

    def shape(self, num_steps: int, num_vertices: int) -> Tuple[int, int]:
        """Returns the shape of the values."""
        return (num_vertices, 3) if self._of is None else (num_steps + 1, len(self._of))

    def values(self, inputs: Sequence[Any]) -> NDArray[np.float64]:
        """Returns (steps + 1, columns), or (n, 3) [m] for the vertices at the end."""
        run = self._recording([np.asarray(value, dtype=float) for value in inputs])
        if self._of is None:
            return run.positions()
        return np.stack([run.probes[column] for column in self._columns(run)], axis=1)

    def slopes(self, inputs: Sequence[Any], by_values: Any) -> List[NDArray[np.float64]]:
        """Returns dL by each input from dL by the values."""
        arrays = [np.asarray(value, dtype=float) for value in inputs]
        run = self._recording(arrays)
        seed = np.asarray(by_values, dtype=float)
        by = [path if value.ndim == 0 else path + "".join(f"[{i}]" for i in index)
              for path, value in zip(self._paths, arrays) for index in np.ndindex(value.shape)]
        if not seed.any():
            return [np.zeros_like(value) for value in arrays]
        if self._of is None:
            found = run.backward(seed, by=by).parameters
        else:
            weights: Dict[str, Any] = {}
            for column, weight in zip(self._columns(run), seed.T):
                weights[column] = weights.get(column, 0.0) + weight
            found = run.backward(of=weights, by=by).parameters
        sizes = np.cumsum([value.size for value in arrays])[:-1]
        return [part.reshape(value.shape) for part, value in zip(np.split(found, sizes), arrays)]
