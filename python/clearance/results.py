"""Reading result folders."""

import csv
import json
import os
from typing import Any, Dict, Iterator, List, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _check
from ._native import core
from .errors import Problem, ResultError
from .mesh import Mesh
from .page import Page, write_page


class Verdict(NamedTuple):
    """The findings of `clearance verify` in the stored frames, by exact arithmetic."""

    ok: bool
    frames: int
    intersections: int
    inversions: int
    half_space_violations: int
    not_finite: int
    too_close: int
    min_distance: float  #: [m] smallest distance in all frames
    problems: List[str]  #: files that contradict each other
    notes: List[str]  #: harmless findings
    offenses: List[str]  #: which bodies meet, and where

    def raise_if_broken(self) -> "Verdict":
        """Raises ResultError unless everything is fine; returns the verdict."""
        if not self.ok:
            raise ResultError([Problem("", "", "", text) for text in self.offenses + self.problems])
        return self


def verify(folder: Any) -> Verdict:
    """Judges every stored frame of a result folder. Raises ResultError if the folder holds no result."""
    return Verdict(**core.verify(_check.path(folder, "folder")))


class Frame(_check.Sealed):
    """A stored frame; its file is read when data of it is first asked for."""

    def __init__(self, path: str, time: float):
        self._path = path
        self._time = time
        self._data: Any = None
        self._rest: Any = None
        self._arrays: Any = None

    def _read(self) -> Any:
        if self._data is None:
            self._data = core.read_frame(self._path, False)
        return self._data

    @property
    def path(self) -> str:
        return self._path

    @property
    def time(self) -> float:
        """Time [s]."""
        return self._time

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions [m] (n, 3)."""
        return self._read().mesh.vertices

    @property
    def velocities(self) -> NDArray[np.float64]:
        """Velocities [m/s] (n, 3)."""
        return self._read().velocities

    @property
    def contact_forces(self) -> NDArray[np.float64]:
        """Contact forces [N] (n, 3); empty unless the scene has output.contact_forces."""
        return self._read().contact_forces

    @property
    def rest_positions(self) -> NDArray[np.float64]:
        """Positions of the vertices at rest [m] (n, 3); empty unless elements of the scene adapt (`remesh`)."""
        if self._rest is None:
            self._rest = core.rest_positions(self.path)
        return self._rest

    @property
    def mesh(self) -> Mesh:
        return Mesh._of(self._read().mesh)

    @property
    def cell_body(self) -> NDArray[np.int32]:
        """The body of each tet, triangle, edge and point, in this order (m,)."""
        return self._read().cell_body

    @property
    def arrays(self) -> Dict[str, NDArray[np.float64]]:
        """All arrays of the frame (output.fields) by name, of its n vertices or of its m cells: numbers (n,) or
        (m,), vectors (n, 3), principal stresses (m, 3) from the largest to the smallest."""
        if self._arrays is None:
            data = core.read_frame(self._path, True)
            own = {"velocity": data.velocities, "contact_force": data.contact_forces}
            stored = {name: values for name, values in own.items() if values.size}
            self._arrays = _check.Named({**data.cell_arrays, **stored, **data.point_arrays})
        return self._arrays

    def array(self, name: str) -> NDArray[np.float64]:
        """Returns one of the `arrays`. Raises KeyError."""
        values = self.arrays.get(name) if isinstance(name, str) else None
        if values is None:
            there = ", ".join(self.arrays) or "none"
            raise KeyError(f"{self._path}: no array {_check.short(name)}, there are {there}; `output.fields` of the "
                           "scene stores them")
        return values

    def __repr__(self) -> str:
        return f"<Frame at t = {self.time:g} s>"


class Results(_check.Sealed):
    """A result folder: a sequence of frames, with statistics of every step. Raises ResultError if the folder holds
    no result."""

    def __init__(self, folder: Any):
        self._folder: str = _check.path(folder, "folder")
        self._frames = [Frame(os.path.join(self.folder, file), time) for file, time in core.frames_of(self.folder)]

    @property
    def folder(self) -> str:
        return self._folder

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, index: Any) -> Any:
        return self._frames[index]

    def __iter__(self) -> Iterator[Frame]:
        return iter(self._frames)

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the frames [s] (frames,)."""
        return np.array([frame.time for frame in self._frames])

    @property
    def steps(self) -> List[Dict[str, Any]]:
        """The lines of stats.jsonl (docs/results.md)."""
        steps = []
        with self._open("stats.jsonl") as file:
            for line in file:
                try:
                    steps.append(json.loads(line))
                except ValueError:
                    break  # a kill has cut the line off
        return steps

    @property
    def stats(self) -> Dict[str, NDArray[Any]]:
        """Returns columns of stats.jsonl as arrays with an entry per step; values of objects have names such as
        `energy.kinetic`, missing numbers are NaN."""
        rows = [dict(_flat(step)) for step in self.steps]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return _check.Named({name: _column([row.get(name) for row in rows]) for name in names})

    @property
    def probes(self) -> Dict[str, NDArray[np.float64]]:
        """Returns the columns of probes.csv, `step` and `time [s]` among them. Raises ResultError if the run has no
        probes."""
        with self._open("probes.csv") as file:
            rows = list(csv.reader(file))
        values = np.array([[float(x or "nan") for x in row] for row in rows[1:] if len(row) == len(rows[0])])
        return _check.Named({name: values[:, k] for k, name in enumerate(rows[0])})

    @property
    def summary(self) -> Dict[str, Any]:
        """Returns summary.json: how the run ended, and its warnings. Raises ResultError while the run goes on."""
        with self._open("summary.json") as file:
            return json.load(file)

    @property
    def scene(self) -> Dict[str, Any]:
        """Returns scene.json."""
        with self._open("scene.json") as file:
            return json.load(file)

    @property
    def bodies(self) -> List[Dict[str, Any]]:
        """Returns bodies.json: name and entry of every body, as frames number them."""
        with self._open("bodies.json") as file:
            return json.load(file)

    def verify(self) -> Verdict:
        return verify(self.folder)

    def export(self, output: Any, *, exact: bool = False, max_megabytes: float = 100.0, overwrite: bool = False) -> Dict[str, Any]:
        """Writes one HTML file for any browser, and returns a description of its content (docs/export.md). Raises
        ResultError."""
        path = _check.path(output, "output")
        problem = ""
        if not path.endswith(".html"):
            problem = "expected a name that ends in .html"
        elif os.path.isdir(path):
            problem = "this is a folder; expected a file"
        elif os.path.exists(path) and not overwrite:
            problem = "the file exists; overwrite=True replaces it"
        if problem:
            raise ResultError([Problem(path, "", "", problem)])
        return write_page(self.folder, path, exact=exact, max_megabytes=max_megabytes)

    def show(self, height: int = 600, *, exact: bool = False, max_megabytes: float = 20.0) -> Page:
        """Returns the frames stored so far as a page that a notebook shows below the cell. Raises ResultError."""
        return Page(self.folder, height, exact, max_megabytes)

    def _open(self, name: str):
        path = os.path.join(self.folder, name)
        try:
            return open(path, encoding="utf-8", newline="" if name.endswith(".csv") else None)
        except OSError as error:
            missing = {"probes.csv": "the scene had no output.probes", "summary.json": "the run is not over"}.get(name)
            message = missing if missing and not os.path.exists(path) else error.strerror or "cannot be read"
            raise ResultError([Problem(path, "", "", message)]) from None

    def __repr__(self) -> str:
        return f"<Results: {len(self)} frames in {self.folder}>"


def _flat(values: Dict[str, Any], prefix: str = "") -> Iterator[Any]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, prefix + name + ".")
        elif not (isinstance(value, list) and value and isinstance(value[0], (dict, str))):
            yield prefix + name, value


def _column(values: List[Any]) -> NDArray[Any]:
    if all(isinstance(v, str) or v is None for v in values):
        return np.array(values, dtype=object)
    lists = [v for v in values if isinstance(v, list)]
    if lists:
        empty = [np.nan] * len(lists[0])
        return np.array([v if isinstance(v, list) else empty for v in values], dtype=float)
    if all(isinstance(v, int) for v in values):
        return np.array(values)
    return np.array([np.nan if v is None else v for v in values], dtype=float)
