"""Scenes: the content of a scene file, built in Python."""

import copy
import json
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _check
from ._native import core
from .errors import Problem, SceneError, warn, without
from .mesh import Mesh

_GEOMETRY = ("vertices", "edges", "triangles", "tets")
# Placeholder for arrays: any valid mesh, until the arrays take its place.
_PLACEHOLDER = {2: {"vertices": [[0, 0], [1, 0], [0, 1]], "triangles": [[0, 1, 2]]},
                3: {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "tets": [[0, 1, 2, 3]], "edges": [[0, 1]]}}


class SceneSummary(NamedTuple):
    """The numbers of a scene, and probable mistakes in it."""

    numbers: Dict[str, Any]  #: bodies, vertices, elements, steps, bbox_diagonal [m], dhat [m], min_distance [m], ...
    warnings: List[Problem]


class Scene(_check.Sealed):
    """A scene. Its keys are those of scene files (docs/scene.md): `time`, `friction`, `gravity`, `contact`, ...

    `data` is the scene as a dict, which may be read and changed; arrays of meshes are in it as they were given. Paths
    of meshes are relative to `base_directory`, by default the working directory.
    """

    _settable = ("data", "base_directory")

    def __init__(self, *no_dict: Any, base_directory: Any = None, **keys: Any):
        if no_dict:
            raise TypeError("a scene is made of keys; of a dict it is cl.Scene(**data), of a file cl.Scene.load(path)")
        self.data: Dict[str, Any] = copy.deepcopy(keys)
        self.base_directory: str = os.getcwd() if base_directory is None else _check.path(base_directory, "base_directory")
        self._warnings: List[Problem] = []  # from reading a file
        self._imported: List[Problem] = []  # those among them that the checks of a scene cannot find again

    @property
    def warnings(self) -> List[Problem]:
        """Warnings from reading a file; `check` has those about the scene."""
        return list(self._warnings)

    def _remedy(self, name: str, value: Any) -> str:
        if isinstance(getattr(type(self), name, None), property):
            return "it cannot be set"
        if callable(getattr(type(self), name, None)):
            return f"{name} is a method"
        return (f"the keys of a scene are in its dict: scene.data[{name!r}] = ..., or Scene({name}=...) when it is "
                'made, as in friction={"coefficient": 0.3} (docs/scene.md)')

    @classmethod
    def load(cls, path: Any, *, format: str = "auto", set: Sequence[str] = ()) -> "Scene":
        """Reads a file of any supported format (auto, clearance, ipc, rigid-ipc, polyfem, urdf, mjcf); `set` is a
        list of overrides as on the command line: `["time.step=0.01"]`. Issues a ClearanceWarning for each of the
        `warnings` about the file. Raises SceneError with every problem of it."""
        path = _check.path(path, "path")
        if isinstance(set, str) or not all(isinstance(s, str) for s in set):
            raise TypeError('set: expected a list of texts like ["time.step=0.01"]')
        loaded = core.load_scene(path, format, list(set))
        scene = cls(base_directory=loaded.base_directory)
        # The text is that of a scene file beside its meshes.
        text = loaded.text(os.path.join(loaded.base_directory, "scene.json"))
        scene.data = json.loads(text)
        scene._warnings = loaded.warnings
        if scene._warnings:
            scene._imported = without(scene._warnings, core.load_scene_text(text, "", loaded.base_directory).warnings)
            warn(scene._warnings)
        return scene

    def add_body(self, name: Optional[str] = None, *, vertices: Optional[ArrayLike] = None,
                 tets: Optional[ArrayLike] = None, triangles: Optional[ArrayLike] = None,
                 edges: Optional[ArrayLike] = None, mesh: Any = None, **keys: Any) -> Dict[str, Any]:
        """Adds a body and returns its dict. Its shape is one of: `vertices` (n, 3) [m] with `tets` (m, 4), `triangles`
        (m, 3) or `edges` (m, 2), which are indices of vertices from 0; `mesh`, a path or a Mesh; `generator={...}`.

        Deformable bodies, the default, need tets (in 2D triangles). Other keys are those of scene files: kind,
        material, transform, linear_velocity, motions, loads, ...
        """
        body: Dict[str, Any] = {} if name is None else {"name": name}
        if isinstance(mesh, Mesh):
            if any(value is not None for value in (vertices, tets, triangles, edges)):
                raise TypeError("mesh and vertices exclude each other")
            if mesh.points.size:
                raise ValueError("mesh: a mesh with lone points can only be a file")
            vertices, edges, triangles, tets = (getattr(mesh, key) for key in _GEOMETRY)
        elif mesh is not None:
            body["mesh"] = mesh
        if vertices is not None:
            given = dict(zip(_GEOMETRY, (vertices, edges, triangles, tets)))
            body["geometry"] = {key: value for key, value in given.items() if value is not None}
        elif any(value is not None for value in (tets, triangles, edges)):
            raise TypeError("tets, triangles and edges need vertices")
        body.update(copy.deepcopy(keys))
        self._list("bodies").append(body)
        return body

    def add_half_space(self, point: ArrayLike = (0, 0, 0), normal: ArrayLike = (0, 1, 0), **keys: Any) -> Dict[str, Any]:
        """Adds a half-space and returns its dict: `point` [m] on its plane, `normal` into the free side."""
        return self._add("half_spaces", {"point": point, "normal": normal, **keys})

    def add_joint(self, name: Optional[str] = None, **keys: Any) -> Dict[str, Any]:
        """Adds a joint and returns its dict: kind, bodies, point [m], axis, lower, upper, drive, effort, mimic."""
        return self._add("joints", {**({} if name is None else {"name": name}), **keys})

    def add_attachment(self, name: Optional[str] = None, **keys: Any) -> Dict[str, Any]:
        """Adds an attachment (docs/scene.md, attachments) and returns its dict: bodies, region, to, distance, ..."""
        return self._add("attachments", {**({} if name is None else {"name": name}), **keys})

    def add_spring(self, name: Optional[str] = None, **keys: Any) -> Dict[str, Any]:
        """Adds a spring or damper (docs/connections.md) and returns its dict: body, point, to, to_point, stiffness, ..."""
        return self._add("springs", {**({} if name is None else {"name": name}), **keys})

    def add_control(self, name: str, value: float = 0.0) -> Dict[str, Any]:
        """Adds a control: a number that all formulas of the scene may use by its name, and that
        `Simulation.controls` sets between steps."""
        return self._add("controls", {"name": name, "value": value})

    def add_probe(self, name: str, kind: str = "position", **keys: Any) -> Dict[str, Any]:
        """Adds a probe (docs/scene.md, output.probes) and returns its dict; its numbers are in `Simulation.probes`."""
        probe = {"name": name, "kind": kind, **copy.deepcopy(keys)}
        self.data.setdefault("output", {}).setdefault("probes", []).append(probe)
        return probe

    def _add(self, key: str, entry: Dict[str, Any]) -> Dict[str, Any]:
        entry = copy.deepcopy(entry)
        self._list(key).append(entry)
        return entry

    def _list(self, key: str) -> List[Any]:
        entries = self.data.setdefault(key, [])
        if not isinstance(entries, list):
            raise SceneError([Problem("", key, _check.short(entries), "expected a list")])
        return entries

    def check(self) -> SceneSummary:
        """Returns the numbers of the scene and its warnings, like `clearance check`. Raises SceneError with every
        problem."""
        desc = self._desc()
        numbers, warnings = desc.check()
        return SceneSummary(numbers, self._imported + without(warnings, self._imported))

    def save(self, path: Any) -> None:
        """Writes the scene as a file with every default, meshes from arrays included. Raises SceneError."""
        self._desc().save(_check.path(path, "path"))

    def copy(self) -> "Scene":
        """Returns an independent copy."""
        twin = Scene(base_directory=self.base_directory)
        twin.data = copy.deepcopy(self.data)
        twin._warnings, twin._imported = list(self._warnings), list(self._imported)
        return twin

    def _desc(self) -> Any:
        """Returns the scene as the library reads it. Raises SceneError."""
        problems: List[Problem] = []
        data = dict(self.data)
        dimension = 2 if data.get("dimension") == 2 else 3
        arrays = {}
        if isinstance(data.get("bodies"), list):
            data["bodies"] = [dict(body) if isinstance(body, dict) else body for body in data["bodies"]]
            for number, body in enumerate(data["bodies"]):
                geometry = body.get("geometry") if isinstance(body, dict) else None
                if isinstance(geometry, dict) and "vertices" in geometry and geometry.keys() <= set(_GEOMETRY):
                    arrays[number] = _arrays(geometry, f"bodies[{number}].geometry", dimension, problems)
                    body["geometry"] = _PLACEHOLDER[dimension]
        plain = _check.plain(data, "", problems)
        if problems:
            raise SceneError(problems)
        desc = core.load_scene_text(json.dumps(plain), "", self.base_directory)
        for number, geometry in arrays.items():
            desc.set_geometry(number, *geometry)
        return desc

    def __repr__(self) -> str:
        names = [str(body.get("name", "?")) if isinstance(body, dict) else "?" for body in self.data.get("bodies", [])]
        return f"<Scene: {len(names)} bodies ({', '.join(names[:5])}{', ...' if len(names) > 5 else ''})>"


def _arrays(geometry: Dict[str, Any], place: str, dimension: int, problems: List[Problem]) -> tuple:
    vertices = _check.points(geometry["vertices"], place + ".vertices", problems)
    if dimension == 3 and len(vertices) and np.shape(geometry["vertices"])[-1] == 2:
        problems.append(Problem("", place + ".vertices", f"shape {np.shape(geometry['vertices'])}",
                                "expected the shape (n, 3); (n, 2) is for scenes with dimension=2"))
    if dimension == 2 and np.any(vertices[:, 2] != 0.0):
        problems.append(Problem("", place + ".vertices", "", "a scene in the plane has z = 0 everywhere"))
    sizes = {"edges": 2, "triangles": 3, "tets": 4}
    return (vertices, *(_check.cells(geometry.get(key), size, f"{place}.{key}", problems) for key, size in sizes.items()))
