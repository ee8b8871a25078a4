"""Impacts of stiff bodies: D05, D06, D26. Speeds jump at the end of a step, so that the time of the impact is not
differentiated, and the program has to say so."""

from derivatives.gradient import parameters_of, whole
from derivatives.number import Number, sqrt, value_of
from derivatives.scenes import Problem, contact_of, finer, position, scene_of, velocity

DHAT = 1e-5


def bouncing(p, scheme, of, _case):
    """D05: the height is that of the bottom. The apex follows from place and speed at the end, where the body flies.
    A body that is stopped within dhat passes on a part of how its start has moved, and the less the smaller dhat is
    beside the way that the step would have gone on: it is smaller where steps are short."""
    size, dhat = 0.1, 0.01 * DHAT if scheme == "continuum" else DHAT
    step, steps = finer(scheme, p["h"], whole(p["N"]), 10)
    integrator = "bdf2_restarted" if scheme == "continuum" else "implicit_euler"
    body = {"name": "ball", "kind": "rigid", "fixed_rotation": True,
            "generator": {"kind": "box", "size": [size, size, size], "resolution": [1, 1, 1]},
            "transform": {"translation": [0.0, p["y0"] + 0.5 * size, 0.0]}, "linear_velocity": [0.0, -p["v0"], 0.0]}
    scene = scene_of([body], [position("ball", "ball"), velocity("speed", "ball")], step=step, steps=steps,
                     gravity=[0.0, -p["g"], 0.0], contact=contact_of(dhat, restitution=p["e"]), half_spaces=[{}],
                     integrator=integrator)

    def measure(run):
        height, speed = run["ball.y"] - 0.5 * size, run["speed.y"]
        return height + speed * speed / (2.0 * p["g"]) if of == "apex" else height
    return Problem(scene, measure, steps)


OTHER_LAW = "the program takes the speed where bodies meet, the case that of the step's start; see own law"


def rows_of_own_law(case):
    """Returns rows of D05 for the program's law of impacts: the approach is that at the start of the step, and what
    gravity adds until the gap is used up. The body ends at the ground in this step."""
    names = ("v0", "e", "y0")
    p = parameters_of(case, names)
    h, g, y, v, has_hit = p["h"], p["g"], p["y0"], -p["v0"], False
    for _ in range(whole(p["N"])):
        following = y + h * v - h * h * g
        if not has_hit and following.value < 0.0:
            has_hit, v, y = True, p["e"] * sqrt(v * v + 2.0 * g * y), Number(0.0)
            continue
        v, y = v - h * g, following
    return [{"of": "y_N", "by": name, "scheme": "own law of impacts", "value": y.value,
             "derivative": y.derivative(name), "relative_tolerance": 5e-3} for name in names]


def colliding(p, _scheme, of, _case):
    """D06: the smaller box meets the larger one in the middle of the fifth step."""
    size, large, away = 0.1, 0.2, 0.02
    step = away / (4.5 * (value_of(p["v1"]) - value_of(p["v2"])))

    def box(name, sizes, x, mass, speed):
        return {"name": name, "kind": "rigid", "generator": {"kind": "box", "size": sizes, "resolution": [1, 1, 1]},
                "mass": mass, "transform": {"translation": [x, 0.0, 0.0]}, "linear_velocity": [speed, 0.0, 0.0]}
    bodies = [box("first", [size, size, size], -0.5 * size - away, p["m1"], p["v1"]),
              box("second", [size, large, large], 0.5 * size, p["m2"], p["v2"])]
    scene = scene_of(bodies, [velocity("v1", "first"), velocity("v2", "second")], step=step, steps=10,
                     contact=contact_of(DHAT, restitution=p["e"]), integrator="implicit_euler")
    return Problem(scene, lambda run: run[f"{of}.x"], 10)


def struck(p, _scheme, _of, _case):
    """D26: the struck ball starts so that the impact is halfway, in the middle of a step."""
    radius, steps = p["r"], 100
    start = value_of(p["x1"]) + 2 * value_of(radius) + 0.505 * value_of(p["v0"]) * value_of(p["T"])
    step = value_of(p["T"]) / steps

    def ball(name, x, speed):
        return {"name": name, "kind": "rigid", "generator": {"kind": "sphere", "size": [radius], "exact": True},
                "mass": 1.0, "transform": {"translation": [x, 0.0, 0.0]}, "linear_velocity": [speed, 0.0, 0.0]}
    bodies = [ball("first", p["x1"], p["v0"]), ball("second", Number(start, {"x2": 1.0}), 0.0)]
    scene = scene_of(bodies, [position("second", "second")], step=step, steps=steps,
                     contact=contact_of(DHAT, restitution=1.0), integrator="implicit_euler")
    return Problem(scene, lambda run: run["second.x"], steps)


def start_of_struck(case):
    """Returns the row of D26 for the start of the struck ball, which has no part in where it ends."""
    row = case["results"][0]
    return [{**row, "by": "x2", "derivative": case["derivative_by_x2"], "absolute_tolerance": 0.5}]


CASES = {"D05": bouncing, "D06": colliding, "D26": struck}
