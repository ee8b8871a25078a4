"""The programs of a wheel as commands of its environment (scripts/make_wheel.py names them)."""

import os
import sys


def _become(name: str) -> None:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    os.execv(path, [path, *sys.argv[1:]])


def clearance() -> None:
    _become("clearance")


def clearance_mesh() -> None:
    _become("clearance-mesh")


def clearance_robot() -> None:
    _become("clearance-robot")


def clearance_view() -> None:
    _become("clearance-view")
