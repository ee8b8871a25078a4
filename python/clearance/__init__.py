"""Simulation of deformable, affine and rigid bodies whose surfaces never intersect and whose elements never invert.

    import clearance as cl
    scene = cl.Scene(time={"step": 0.01, "duration": 1.0})
    scene.add_body("ball", generator={"kind": "sphere", "size": [0.1]}, transform={"translation": [0, 0.3, 0]})
    scene.add_half_space(point=[0, 0, 0], normal=[0, 1, 0])
    with cl.Simulation(scene) as sim:
        while not sim.done:
            sim.step()
        print(sim.positions[sim.body("ball").vertices].min(axis=0))

Names are those of scene files (docs/scene.md); docs/python.md explains the module. Lengths in metres, SI units, y up.
"""

from . import ccd, contact
from ._native import version as __version__
from .batch import Batch
from .derivatives import (BodySlopes, ForwardGradient, Gradient, PrescribedSlopes, Recording, ReverseGradient, gradient,
                          record)
from .errors import ClearanceError, ClearanceWarning, DerivativeError, MeshError, Problem, ResultError, SceneError, StepError
from .mesh import Mesh, generate, read_mesh
from .page import Page
from .results import Frame, Results, Verdict, verify
from .scene import Scene, SceneSummary
from .simulation import Body, Contacts, Controls, Simulation, State, StepReport

__all__ = [
    "Batch", "Body", "BodySlopes", "ClearanceError", "ClearanceWarning", "Contacts", "Controls", "DerivativeError",
    "ForwardGradient", "Frame", "Gradient", "Mesh", "MeshError", "Page", "PrescribedSlopes", "Problem", "Recording", "ResultError",
    "Results", "ReverseGradient", "Scene", "SceneError", "SceneSummary", "Simulation", "State", "StepError", "StepReport",
    "Verdict", "__version__", "ccd", "contact", "generate", "gradient", "read_mesh", "record", "verify",
]
