"""Conversion of Python values to what a scene file can hold; reports every problem with its place."""

import os
from typing import Any, List, Tuple

import numpy as np

from .errors import MeshError, Problem


def element(place: str, key: Any) -> str:
    """Returns the place of an element, such as `bodies[2]` or `bodies.density`."""
    if isinstance(key, int):
        return f"{place}[{key}]"
    return f"{place}.{key}" if place else str(key)


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def plain(value: Any, place: str, problems: List[Problem], depth: int = 0) -> Any:
    """Returns the value in lists, dicts, numbers, texts and None, as JSON has them. Adds values that JSON cannot
    hold to `problems`."""
    if depth > 50:
        problems.append(Problem("", place, "", "is nested more than 50 deep; does it hold itself?"))
        return None
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (np.bool_,)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            problems.append(Problem("", place, repr(float(value)), "expected a finite number"))
            return 0.0
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), place, problems, depth)
    if isinstance(value, dict):
        result = {}
        for key, entry in value.items():
            if isinstance(key, str):
                result[key] = plain(entry, element(place, key), problems, depth + 1)
            else:
                problems.append(Problem("", place, short(key), "expected text as the key"))
        return result
    if isinstance(value, (list, tuple)):
        return [plain(entry, element(place, i), problems, depth + 1) for i, entry in enumerate(value)]
    problems.append(Problem("", place, f"{short(value)} of type {type(value).__name__}",
                            "expected a number, text, list, dict, NumPy array or None"))
    return None


def points(value: Any, place: str, problems: List[Problem]) -> np.ndarray:
    """Returns (n, 3) float64 [m]; (n, 2) gets z = 0."""
    none = np.zeros((0, 3))
    try:
        array = np.asarray(value)
        if array.dtype == object or array.dtype.kind not in "iuf":
            raise TypeError(f"of type {array.dtype}")
        array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        problems.append(Problem("", place, str(error), "expected an array of numbers of shape (n, 3), in 2D (n, 2)"))
        return none
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        problems.append(Problem("", place, f"shape {array.shape}", "expected the shape (n, 3), in 2D (n, 2)"))
        return none
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        problems.append(Problem("", element(place, int(bad[0])), str(array[bad[0]].tolist()),
                                f"expected finite numbers; {bad.size} of {len(array)} vertices have others"))
        return none
    if array.shape[1] == 2:
        array = np.column_stack([array, np.zeros(len(array))])
    return np.ascontiguousarray(array)


def cells(value: Any, size: int, place: str, problems: List[Problem]) -> np.ndarray:
    """Returns (n, size) int32; None gives no cells."""
    none = np.zeros((0, size), dtype=np.int32)
    if value is None:
        return none
    array = np.asarray(value)
    if array.size == 0 and array.dtype.kind in "iuf":
        return none
    if array.dtype.kind not in "iu":
        problems.append(Problem("", place, f"type {array.dtype}", f"expected whole numbers of shape (n, {size})"))
        return none
    if array.ndim != 2 or array.shape[1] != size:
        problems.append(Problem("", place, f"shape {array.shape}", f"expected the shape (n, {size})"))
        return none
    if array.max(initial=0) > np.iinfo(np.int32).max or array.min(initial=0) < 0:
        bad = int(array.max() if array.max() > np.iinfo(np.int32).max else array.min())
        problems.append(Problem("", place, str(bad), "expected numbers of vertices from 0 on"))
        return none
    return np.ascontiguousarray(array, dtype=np.int32)


def path(value: Any, name: str) -> str:
    try:
        text = os.fspath(value)
    except TypeError:
        raise TypeError(f"{name}: expected a path, not {short(value)}") from None
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if "\0" in text:
        raise ValueError(f"{name}: a path holds no zero byte")
    return text


def whole_number(value: Any, name: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name}: expected a whole number, not {short(value)}")
    if not least <= value <= 2**31 - 1:
        raise ValueError(f"{name}: expected at least {least} and less than 2^31, not {value}")
    return int(value)


class Sealed:
    """Base of classes whose attributes cannot be misspelled: an assignment to one that has no effect raises
    AttributeError. Subclasses of users may have attributes of their own."""

    _settable: Tuple[str, ...] = ()  #: names of public attributes that may be set

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name in self._settable or not type(self).__module__.startswith(__package__ + "."):
            object.__setattr__(self, name, value)
            return
        raise AttributeError(f"setting {type(self).__name__}.{name} would have no effect; {self._remedy(name, value)}")

    def _remedy(self, name: str, value: Any) -> str:
        """Returns what to do instead."""
        return "it cannot be set" if hasattr(type(self), name) else "there is no such attribute"


class Named(dict):
    """A dict that lists the existing names when a name is missing."""

    def __missing__(self, name: Any) -> Any:
        raise KeyError(f"no {short(name)}; there are {', '.join(map(str, self)) or 'none'}")


def refuse_if_any(problems: List[Problem], error_class=MeshError) -> None:
    if problems:
        raise error_class(problems)
