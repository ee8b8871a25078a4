"""The exceptions of this module, each of which carries all problems at once, and its warnings."""

import sys
import warnings
from typing import TYPE_CHECKING, Iterable, List, NamedTuple

if TYPE_CHECKING:
    from .simulation import StepReport


class Problem(NamedTuple):
    """One problem of a scene, a mesh or a result folder."""

    file: str  #: file as it was given; "" if there is none
    place: str  #: place in the file: `bodies[2].material.density`, `line 17`
    value: str  #: the value at fault as text; "" if there is none
    message: str  #: what is wrong and what was expected
    severity: str = "error"  #: `error` or `warning`
    name: str = ""  #: kind of a warning, such as `coarse_elements` (docs/results.md); "" for errors

    def __str__(self) -> str:
        where = "".join(f"{part}: " for part in (self.file, self.place) if part)
        return where + self.message + (f" (got {self.value})" if self.value else "")


class ClearanceWarning(UserWarning):
    """A warning about a scene or a run; `problem` has its name and place."""

    def __init__(self, problem: Problem):
        self.problem = problem
        super().__init__(f"{problem} [{problem.name}]" if problem.name else str(problem))

    def __reduce__(self):
        return (type(self), (self.problem,))


def warn(problems: Iterable[Problem]) -> None:
    """Issues the warnings at the line outside of this package that has led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    for problem in problems:
        warnings.warn(ClearanceWarning(problem), stacklevel=level)


def without(problems: Iterable[Problem], others: Iterable[Problem]) -> List[Problem]:
    """Returns the problems that are not among the others, wherever they were found."""
    known = {(other.place, other.message) for other in others}
    return [problem for problem in problems if (problem.place, problem.message) not in known]


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


class DerivativeError(ClearanceError, RuntimeError):
    """A step of a run that has no derivative, and why."""


class StepError(ClearanceError, RuntimeError):
    """A step that could not be taken; the state is the one before it. `report` says why."""

    def __init__(self, report: "StepReport"):
        self.report = report
        super().__init__([Problem("", f"step {report.step + 1}", "", f"{report.status}: {report.limited_by}")])

    def __reduce__(self):
        return (ClearanceError, (self.problems,))
