"""A run as a page for browsers and notebooks (docs/export.md)."""

import html
import os
import tempfile
from typing import Any, Dict

from . import _check
from ._native import core
from .errors import Problem, ResultError

_VIEWER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "viewer.html")


def write_page(folder: str, output: str, *, exact: bool, max_megabytes: float) -> Dict[str, Any]:
    """Writes the page as `clearance export` does and returns its report. Raises ResultError."""
    if not os.path.exists(_VIEWER):
        raise ResultError([Problem(_VIEWER, "", "", "the viewer has not been built; install Node.js 18 or later with npm "
                                   "(Debian: nodejs, npm) and run `./dev python`")])
    return core.export_page(folder, output, _VIEWER, _megabytes(max_megabytes), bool(exact))


def _megabytes(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if not 0.0 < number < 1e9:
        raise ValueError(f"max_megabytes: expected a positive number, not {_check.short(value)}")
    return number


class Page:
    """The page that `show` returns: a notebook shows it below the cell; `html` is its text."""

    def __init__(self, folder: str, height: int, exact: bool, max_megabytes: float):
        if not isinstance(height, int) or not 100 <= height <= 10000:
            raise ValueError(f"height: expected pixels from 100 to 10000, not {_check.short(height)}")
        self.folder = folder
        self.height = height  #: [px]
        with tempfile.TemporaryDirectory(prefix="clearance-page-") as temporary:
            path = os.path.join(temporary, "run.html")
            #: Keys: `frames` of the run's `frames_of_run`, `triangles`, `position_error` [m], `bytes`
            self.contents = write_page(folder, path, exact=exact, max_megabytes=max_megabytes)
            with open(path, encoding="utf-8") as file:
                self.html: str = file.read()

    def _repr_html_(self) -> str:
        # The page is an inner frame, which may run its own scripts and sees nothing of the notebook.
        return (f'<iframe srcdoc="{html.escape(self.html, quote=True)}" sandbox="allow-scripts" title="Clearance" '
                f'style="width: 100%; height: {self.height}px; border: 0"></iframe>')

    def __repr__(self) -> str:
        frames, of_run = self.contents["frames"], self.contents["frames_of_run"]
        return f"<Page: {frames} of {of_run} frames of {self.folder}; a notebook shows it, Results.export writes a file>"
