"""Meshes as arrays."""

from typing import Any, Dict, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check
from ._native import core
from .errors import MeshError, Problem


class Mesh(_check.Sealed):
    """Vertices (n, 3) [m] with tets (m, 4), triangles (m, 3), edges (m, 2) and points (m,) of them, as int32.

    Tets have positive volume: seen from the fourth vertex, the first three run counterclockwise. In 2D (`dimension=2`)
    the triangles are the elements, and z of all vertices is 0.

    Raises MeshError for wrong shapes or types, numbers that are not finite, and vertices that do not exist.
    """

    def __init__(self, vertices: ArrayLike, *, tets: Optional[ArrayLike] = None, triangles: Optional[ArrayLike] = None,
                 edges: Optional[ArrayLike] = None, points: Optional[Sequence[int]] = None, dimension: int = 3):
        if dimension not in (2, 3):
            raise ValueError(f"dimension: expected 2 or 3, not {dimension!r}")
        problems: list = []
        vertex_array = _check.points(vertices, "vertices", problems)
        lists = {"tets": (tets, 4), "triangles": (triangles, 3), "edges": (edges, 2)}
        cells = {name: _check.cells(value, size, name, problems) for name, (value, size) in lists.items()}
        lone = _check.cells(None if points is None else np.reshape(np.asarray(points), (-1, 1)), 1, "points", problems)
        for name, array in {**cells, "points": lone}.items():
            if array.size and array.max() >= len(vertex_array):
                message = f"this vertex does not exist; the number of vertices is {len(vertex_array)}"
                problems.append(Problem("", name, str(array.max()), message))
        _check.refuse_if_any(problems)
        self._data = core.make_mesh(vertex_array, cells["tets"], cells["triangles"], cells["edges"],
                                   lone.ravel().tolist(), dimension)

    @classmethod
    def _of(cls, data: Any) -> "Mesh":
        mesh = cls.__new__(cls)
        mesh._data = data
        return mesh

    @property
    def dimension(self) -> int:
        return self._data.dimension

    @property
    def vertices(self) -> NDArray[np.float64]:
        """Vertices [m] (n, 3); a copy, like all arrays of a mesh."""
        return self._data.vertices

    @property
    def tets(self) -> NDArray[np.int32]:
        """Tets (m, 4)."""
        return self._data.tets

    @property
    def triangles(self) -> NDArray[np.int32]:
        """Triangles (m, 3)."""
        return self._data.triangles

    @property
    def edges(self) -> NDArray[np.int32]:
        """Edges (m, 2)."""
        return self._data.edges

    @property
    def points(self) -> NDArray[np.int32]:
        """Points (m,)."""
        return self._data.points

    def _remedy(self, name: str, value: Any) -> str:
        return "a Mesh does not change; make another one, cl.Mesh(vertices, tets=...)"

    def surface(self) -> "Mesh":
        """Returns the boundary: the outer triangles of tets, in 2D the outer edges of triangles."""
        return Mesh._of(core.surface_of(self._data))

    def save(self, path: Any) -> None:
        """Writes .msh, .obj, .ply, .stl, .off or .vtu, atomically. Raises MeshError."""
        core.write_mesh(_check.path(path, "path"), self._data)

    def __repr__(self) -> str:
        counts = ((len(getattr(self, name)), name) for name in ("vertices", "tets", "triangles", "edges", "points"))
        return "<Mesh: " + ", ".join(f"{count} {name}" for count, name in counts if count) + ">"


def read_mesh(path: Any, *, dimension: int = 3) -> Mesh:
    """Reads the mesh of a file: .msh, .obj, .ply, .stl, .off, .vtu, .vtk, TetGen's .node and .ele.

    Raises MeshError with every problem of the file.
    """
    if dimension not in (2, 3):
        raise ValueError(f"dimension: expected 2 or 3, not {dimension!r}")
    return Mesh._of(core.read_mesh(_check.path(path, "path"), dimension))


def _listed(values: Any) -> Any:
    return values if np.ndim(values) else [values]


def generate(kind: str, size: Union[float, Sequence[float]], resolution: Optional[Union[int, Sequence[int]]] = None,
             **keys: Any) -> Mesh:
    """Returns the mesh of a generator of scene files (docs/scene.md, generator): box, sphere, torus, cylinder, link,
    gear, ...

    size [m] and resolution are those of the generator; a single number stands for a list of one. rectangle and disk are
    2D. Raises SceneError.
    """
    from .scene import Scene

    if not isinstance(kind, str):
        raise TypeError(f"kind: expected the name of a generator, not {_check.short(kind)}")
    generator: Dict[str, Any] = {"kind": kind, "size": _listed(size), **keys}
    if resolution is not None:
        generator["resolution"] = _listed(resolution)
    flat = kind in ("rectangle", "disk")
    scene = Scene(dimension=2 if flat else 3)
    is_surface = keys.get("is_surface", False) or kind in ("bolt", "nut", "sheet", "bowl", "funnel", "line")
    scene.add_body("mesh", generator=generator, kind="obstacle" if is_surface else "deformable")
    return Mesh._of(core.mesh_of_body(scene._desc()))


__all__ = ["Mesh", "MeshError", "generate", "read_mesh"]
