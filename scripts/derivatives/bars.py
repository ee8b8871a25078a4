"""Bars and beams in statics: D07 to D10."""

import math

from derivatives.number import sqrt, value_of
from derivatives.scenes import Problem, held, position, side, static_scene

LEFT, RIGHT = side([0, 0, 0], [0, 1, 1]), side([1, 0, 0], [1, 1, 1])
ENDS = [position("left", "bar", region=LEFT), position("right", "bar", region=RIGHT)]


def bar(size, cells, young, poisson, order=1, model="linear_elasticity", **others):
    return {"name": "bar", "order": order, "generator": {"kind": "box", "size": size, "resolution": cells},
            "material": {"model": model, "youngs_modulus": young, "poisson_ratio": poisson,
                         **others.pop("material", {})}, **others}


def pulled(p, _scheme, of, _case):
    """D07: by a force, or by a way that grows within the step. The law is linear: the bar is pulled `times` as far, to
    an eighth of its length, because the difference of places would lose the digits of a small elongation."""
    side_length = sqrt(p["A"])
    size = [p["L"], side_length, side_length]
    if of == "U":
        strain = abs(value_of(p["F"]) / (value_of(p["E"]) * value_of(p["A"])))
        times = 2.0 ** math.floor(math.log2(0.125 / strain))
        body = bar(size, [4, 2, 2], p["E"], 0.0, motions=[held(LEFT)],
                   loads=[{"kind": "force", "value": [times * p["F"], 0.0, 0.0], "region": RIGHT}])
        return Problem(static_scene([body], ENDS), lambda run: (run["right.x"] - run["left.x"] - p["L"]) / times)
    times = 2.0 ** math.floor(math.log2(0.125 * value_of(p["L"]) / abs(value_of(p["u"]))))
    body = bar(size, [4, 2, 2], p["E"], 0.0, motions=[held(LEFT), held(RIGHT, displacement=["u * t", "0", "0"])])
    probe = {"name": "pull", "kind": "reaction", "body": "bar", "region": RIGHT}
    return Problem(static_scene([body], [probe], controls=[{"name": "u", "value": times * p["u"]}]),
                   lambda run: run["pull.force.x"] / times)


def stretched(p, _scheme, of, _case):
    """D08. Planes of symmetry instead of slides at the ends leave no free motion."""
    side_length = sqrt(p["A"])
    bottom, back = side([0, 0, 0], [1, 0, 1]), side([0, 0, 0], [1, 1, 0])
    body = bar([p["L"], side_length, side_length], [4, 2, 2], p["E"], p["nu"], model="neo_hookean",
               motions=[held(LEFT, "x"), held(bottom, "y"), held(back, "z")],
               loads=[{"kind": "force", "value": [p["F"], 0.0, 0.0], "region": RIGHT}])
    top = side([0, 1, 0], [1, 1, 1])
    probes = [*ENDS, position("bottom", "bar", region=bottom), position("top", "bar", region=top)]

    def measure(run):
        if of == "U":
            return run["right.x"] - run["left.x"] - p["L"]
        return (run["top.y"] - run["bottom.y"]) / side_length
    return Problem(static_scene([body], probes), measure)


def hanging(p, _scheme, _of, _case):
    """D09. Quadratic elements have its parabola."""
    wide = 0.1 * value_of(p["L"])
    top, bottom = side([0, 1, 0], [1, 1, 1]), side([0, 0, 0], [1, 0, 1])
    body = bar([wide, p["L"], wide], [1, 4, 1], p["E"], 0.0, order=2, material={"density": p["rho"]},
               motions=[held(top)])
    probes = [position("top", "bar", region=top), position("bottom", "bar", region=bottom)]
    return Problem(static_scene([body], probes, gravity=[0.0, -p["g"], 0.0]),
                   lambda run: run["top.y"] - run["bottom.y"] - p["L"])


def cantilever(p, _scheme, of, _case):
    """D10. The deflection is the mean of the end's nodes."""
    body = bar([p["L"], p["t"], p["b"]], [20, 4, 2], p["E"], 0.0, order=2, motions=[held(LEFT)],
               loads=[{"kind": "force", "value": [0.0, -p["P"], 0.0], "region": RIGHT}])

    def measure(run):
        deflection = run["left.y"] - run["right.y"]
        return p["P"] * deflection if of == "C" else deflection
    return Problem(static_scene([body], ENDS), measure)


CASES = {"D07": pulled, "D08": stretched, "D09": hanging, "D10": cantilever}
