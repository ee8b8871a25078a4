"""Blocks and balls on planes, with and without friction: D03, D04, D16 to D18, D20."""

import math

from derivatives.gradient import whole
from derivatives.number import Number, atan, cos, degrees, sin, value_of
from derivatives.scenes import Problem, contact_of, finer, gap, position, scene_of

# Small beside all ways, so that what gaps and elastic sliding do to them is small, too.
DHAT = 1e-5


def block(size, height, **others):
    """Returns a block that starts within dhat of the plane y = 0 and does not turn."""
    return {"name": "block", "kind": "rigid", "fixed_rotation": True,
            "generator": {"kind": "box", "size": size, "resolution": [1, 1, 1]},
            "transform": {"translation": [0.0, 0.5 * size[1] + height, 0.0]}, **others}


def carrying_stiffness(weight, dhat, scale):
    """Returns the stiffness of the barrier with which four vertices at half of dhat carry a weight. `scale` is that of
    energies in the objective of a step."""
    s, limit = 0.25 * dhat * dhat, dhat * dhat
    slope_of_barrier = -(s - limit) * (2.0 * math.log(s / limit) + (s - limit) / s)
    return weight * (scale / (4.0 * -dhat * slope_of_barrier))


def slope(p, scheme, _of, _case):
    """D03: gravity is tilted, and the plane is not. The block starts where the barrier carries it, whatever the slope
    and gravity are, and with the acceleration that contact and friction leave it, which a load at the time zero alone
    brings about: Newmark's method damps no swing of the gap, or of its derivative."""
    step, steps = finer(scheme, p["h"], whole(p["N"]), 10)
    mass, dhat = 2.0, 1e-2
    across = p["g"] * cos(p["theta"])
    kappa = carrying_stiffness(mass * across, dhat, step * step * (0.25 if scheme == "implicit_newmark" else 1.0))
    at_start = {"kind": "acceleration", "expression": ["t > 0 ? 0 : -braking", "t > 0 ? 0 : carrying", "0"]}
    controls = [{"name": "braking", "value": p["mu"] * across}, {"name": "carrying", "value": across}]
    body = block([0.2, 0.05, 0.2], 0.5 * dhat, mass=mass, loads=[at_start])
    scene = scene_of([body], [position("block", "block")], step=step, steps=steps, controls=controls,
                     gravity=[p["g"] * sin(p["theta"]), -across, 0.0], contact=contact_of(dhat, kappa=kappa),
                     half_spaces=[{"point": [0, 0, 0], "normal": [0, 1, 0], "friction": p["mu"]}],
                     integrator="implicit_euler" if scheme == "continuum" else scheme)
    return Problem(scene, lambda run: run["block.x"], steps)


def stopping(p, scheme, _of, _case):
    """D04. The run ends a few steps after the block has stopped."""
    slides = value_of(p["v0"]) / (value_of(p["h"]) * value_of(p["mu"]) * value_of(p["g"]))
    step, steps = finer(scheme, p["h"], math.floor(slides) + 10, 10)
    scene = scene_of([block([0.2, 0.05, 0.2], 0.5 * DHAT, linear_velocity=[p["v0"], 0.0, 0.0])],
                     [position("block", "block")], step=step, steps=steps, gravity=[0.0, -p["g"], 0.0],
                     contact=contact_of(DHAT), integrator="implicit_euler",
                     half_spaces=[{"point": [0, 0, 0], "normal": [0, 1, 0], "friction": p["mu"]}])
    return Problem(scene, lambda run: run["block.x"], steps)


def prism(sides, radius, height):
    """Returns a prism with a regular polygon as its base in y = 0, as a closed surface."""
    ring = [(radius * math.cos(2 * math.pi * i / sides), radius * math.sin(2 * math.pi * i / sides))
            for i in range(sides)]
    vertices = [[x, y, z] for y in (0.0, height) for x, z in ring]
    triangles = []
    for i in range(1, sides - 1):
        triangles += [[0, i, i + 1], [sides, sides + i + 1, sides + i]]
    for i in range(sides):
        j = (i + 1) % sides
        triangles += [[i, sides + i, sides + j], [i, sides + j, j]]
    return {"vertices": vertices, "triangles": triangles}


def resting(p, _scheme, _of, _case):
    """D16: the base is a polygon of n vertices."""
    start = 0.9 * value_of(p["dhat"])
    body = {"name": "block", "kind": "rigid", "geometry": prism(whole(p["n"]), 0.1, 0.05), "fixed_rotation": True,
            "fixed_translation": [True, False, True], "transform": {"translation": [0.0, start, 0.0]},
            "loads": [{"kind": "force", "value": [0.0, -p["W"], 0.0]}]}
    scene = scene_of([body], [gap("gap", "block")], integrator="quasi_static", half_spaces=[{}],
                     contact={"dhat": p["dhat"], "dhat_is_absolute": True, "kappa": p["kappa"], "gap_tolerance": 0})
    return Problem(scene, lambda run: run["gap"])


def sticking(p, _scheme, _of, _case):
    """D17: the elastic sliding is a share of the diagonal of the block. Its centre of mass is at its bottom, so that
    force and friction do not turn it."""
    size = [0.2, 0.1, 0.2]
    diagonal = math.sqrt(sum(x * x for x in size))
    body = block(size, 0.5e-4, loads=[{"kind": "force", "value": [p["F"], -p["N"], 0.0]}],
                 center_of_mass=[0.0, -0.5 * size[1], 0.0], fixed_translation=[False, False, True])
    scene = scene_of([body], [position("block", "block")], integrator="quasi_static", contact=contact_of(1e-4),
                     friction={"coefficient": p["mu"], "stick": p["s"] / diagonal}, half_spaces=[{}])
    return Problem(scene, lambda run: run["block.x"])


def wedge(p, _scheme, _of, _case):
    """D18: an upright plate without friction pushes a block up a slope. The slope begins below the block's middle, and
    the block turns with it."""
    angle, wide, high, dhat = atan(p["tan_a"]), 0.1, 0.05, 1e-3
    away = 0.5 * high + 0.5 * dhat
    centre = [-away * sin(angle), away * cos(angle)]
    left = centre[0] - 0.5 * wide * cos(angle) - 0.5 * high * sin(angle)
    body = {"name": "block", "kind": "rigid", "fixed_rotation": True, "mass": 1.0,
            "generator": {"kind": "rectangle", "size": [wide, high], "resolution": [1, 1]},
            "transform": {"translation": centre, "rotation": [0.0, 0.0, degrees(angle)]}}
    plate = {"name": "plate", "kind": "obstacle",
             "generator": {"kind": "rectangle", "size": [0.02, 0.5], "resolution": [1, 1]},
             "transform": {"translation": [left - 0.01 - 0.5 * dhat, 0.0]},
             "motions": [{"linear_velocity": [0.001, 0.0]}]}
    gravity = 10.0
    scene = scene_of([body, plate], [{"name": "push", "kind": "contact", "bodies": ["block", "plate"]}], dimension=2,
                     integrator="quasi_static", steps=3, gravity=[0.0, -gravity], contact=contact_of(dhat),
                     half_spaces=[{"point": [0.0, 0.0], "normal": [-sin(angle), cos(angle)], "friction": p["mu"]}])
    return Problem(scene, lambda run: run["push.normal.x"] / gravity)


def rolling(p, _scheme, _of, _case):
    """D20: an exact ball whose moments of inertia are c m r^2. Nothing may depend on friction: its elastic sliding, a
    share of the ball, does, so that the ball is small beside its way."""
    mass = 2.0
    step, steps = value_of(p["h"]), whole(p["N"])
    radius = 0.04 * value_of(p["g"]) * (step * steps) ** 2
    moment = p["c"] * (mass * radius * radius)
    body = {"name": "ball", "kind": "rigid", "generator": {"kind": "sphere", "size": [radius], "exact": True},
            "mass": mass, "inertia": {"moments": [moment, moment, moment]},
            "transform": {"translation": [0.0, radius + 0.5 * DHAT, 0.0]}}
    scene = scene_of([body], [position("ball", "ball")], step=step, steps=steps, integrator="bdf2",
                     gravity=[p["g"] * sin(p["theta"]), -p["g"] * cos(p["theta"]), 0.0], contact=contact_of(DHAT),
                     half_spaces=[{"point": [0, 0, 0], "normal": [0, 1, 0], "friction": Number(0.8, {"mu": 1.0})}])
    return Problem(scene, lambda run: run["ball.x"], steps)


def without_friction_coefficient(case):
    """Returns the row of D20 that says that friction does not count: by less than 1e-6 of the way without it."""
    p = case["parameters"]
    row = next(r for r in case["results"] if r["of"] == "s")
    free = 0.5 * p["g"] * (p["h"] * p["N"]) ** 2
    return [{"of": "s", "by": "mu", "scheme": "continuum", "value": row["value"],
             "derivative": case["derivative_by_mu"], "relative_tolerance": 0.02, "absolute_tolerance": 1e-6 * free}]


CASES = {"D03": slope, "D04": stopping, "D16": resting, "D17": sticking, "D18": wedge, "D20": rolling}
