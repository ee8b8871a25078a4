"""The same cases in Bullet and MuJoCo, if they can express them: rigid boxes, balls, cylinders, planes and hinges.

The engines keep their default settings and take the step, gravity and friction of the case. A case is passed as JSON
(benchmarks/peers/motion_case.h) and measured by its own checks.
"""

import json
import math
import subprocess

from . import vectors as vec
from .case import G

ENGINES = {"Bullet": "bullet_motion", "MuJoCo": "mujoco_motion"}


def shape_of(body, parameters):
    """Returns shape, half extents and volume of a body of the scene."""
    if "geometry" in body:  # a wheel or globe of `roll`
        r = parameters["size"]
        if parameters["shape"] == "sphere":
            return "sphere", (r, r, r), 4 / 3 * math.pi * r**3
        return "cylinder", (r, r, r / 2), math.pi * r**3
    size = body["generator"]["size"]
    return "box", vec.mul(0.5, size), size[0] * size[1] * size[2]


def total_force(body, mass):
    force = (0.0, 0.0, 0.0)
    for load in body.get("loads", []):
        share = mass if load["kind"] == "acceleration" else 1.0
        force = vec.add(force, vec.mul(share, load["value"]))
    return force


def describe(case):
    """Returns the case as the engines read it."""
    scene, bodies = case.scene, []
    for body in scene["bodies"]:
        shape, size, volume = shape_of(body, case.parameters)
        mass = body["material"]["density"] * volume
        spin = [math.radians(w) for w in body.get("angular_velocity", (0, 0, 0))]
        bodies.append({"shape": shape, "size": size, "mass": mass, "position": body["transform"]["translation"],
                       "rotation": vec.euler(body["transform"]["rotation"]), "velocity": body.get("linear_velocity",
                                                                                                  (0, 0, 0)),
                       "spin": spin, "force": total_force(body, mass)})
    names = [body["name"] for body in scene["bodies"]]
    hinges = [{"body": names.index(joint["bodies"][0]), "point": joint["point"], "axis": joint["axis"],
               "torque": float(joint.get("effort", 0))}
              for joint in scene.get("joints", [])]
    planes = [{"point": plane["point"], "normal": plane.get("normal", (0, 1, 0))}
              for plane in scene.get("half_spaces", [])]
    return {"step": scene["time"]["step"], "num_steps": case.parameters["steps"],
            "frame_interval": scene["output"]["frame_interval"],
            "gravity": scene.get("gravity", (0, -G, 0)), "mu": scene.get("friction", {}).get("coefficient", 0.0),
            "bodies": bodies, "planes": planes, "hinges": hinges}


class PeerRun:
    """The result of an engine, with the same names as in results.Run."""

    def __init__(self, case, frames):
        self.frames = frames
        self.interval = case.scene["output"]["frame_interval"] * case.scene["time"]["step"]
        self.numbers = [i * case.scene["output"]["frame_interval"] for i in range(len(frames))]
        self.places = {body["name"]: i for i, body in enumerate(case.scene["bodies"])}
        self.boxes = {body["name"]: body for body in case.scene["bodies"]}

    def time(self, index):
        return range(len(self.frames))[index] * self.interval

    def position(self, name, index=-1):
        return self.frames[index][self.places[name]][0]

    def velocity(self, name, index=-1):
        return self.frames[index][self.places[name]][1]

    def spin(self, name, index=-1):
        return self.frames[index][self.places[name]][2]

    def displacement(self, name, start=0, end=-1):
        return vec.sub(self.position(name, end), self.position(name, start))

    def kinetic(self, name, index=-1):
        """Returns the kinetic energy of a cube [J/kg]."""
        v, w, size = self.velocity(name, index), self.spin(name, index), self.boxes[name]["generator"]["size"]
        return 0.5 * (vec.dot(v, v) + size[0] ** 2 / 6 * vec.dot(w, w))


def run_peer(program, case, seconds):
    """Returns the checks of a case in an engine, or None if it failed."""
    try:
        process = subprocess.run([str(program)], input=json.dumps(describe(case)), capture_output=True, text=True,
                                 timeout=seconds)
        if process.returncode != 0:
            return None
        return case.measure(PeerRun(case, json.loads(process.stdout)))
    except (subprocess.TimeoutExpired, ValueError, ArithmeticError, LookupError, TypeError):
        return None
