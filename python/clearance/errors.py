"""The exceptions of this module; each carries all problems at once."""

from typing import TYPE_CHECKING, List, NamedTuple

if TYPE_CHECKING:
    from .simulation import StepReport


class Problem(NamedTuple):
    """One problem of a scene, a mesh or a result folder."""

    file: str  #: file as it was given; "" if there is none
    place: str  #: place in the file: `bodies[2].material.density`, `line 17`
    value: str  #: the value at fault as text; "" if there is none
    message: str  #: what is wrong and what was expected
    severity: str = "error"  #: `error` or `warning`

    def __str__(self) -> str:
        where = "".join(f"{part}: " for part in (self.file, self.place) if part)
        return where + self.message + (f" (got {self.value})" if self.value else "")


class ClearanceError(Exception):
    """Base class of all errors of this module; `problems` is the list of them."""

    def __init__(self, problems: List[Problem]):
        self.problems = list(problems)
        super().__init__("\n".join(str(p) for p in self.problems if p.severity == "error") or "no details")

    def __reduce__(self):
        return (type(self), (self.problems,))


class SceneError(ClearanceError, ValueError):
    """A scene that cannot be simulated: wrong keys, types or values, meshes that cannot be read, bodies that meet."""


class MeshError(ClearanceError, ValueError):
    """A mesh file that cannot be read or written."""


class ResultError(ClearanceError, OSError):
    """A result folder that cannot be written, resumed from or read."""


class StepError(ClearanceError, RuntimeError):
    """A step that could not be taken; the state is the one before it. `report` says why."""

    def __init__(self, report: "StepReport"):
        self.report = report
        super().__init__([Problem("", f"step {report.step + 1}", "", f"{report.status}: {report.limited_by}")])

    def __reduce__(self):
        return (ClearanceError, (self.problems,))
