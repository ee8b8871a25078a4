"""One tetrahedron, of which three nodes are held: D11 to D13, D24."""

from derivatives.gradient import whole
from derivatives.number import Number, cross, dot
from derivatives.scenes import Problem, held, position, scene_of, static_scene


def tetrahedron(corners, model, young, poisson, **others):
    return {"name": "tet", "order": 1, "geometry": {"vertices": corners, "tets": [[0, 1, 2, 3]]},
            "material": {"model": model, "youngs_modulus": young, "poisson_ratio": poisson,
                         **others.pop("material", {})},
            "motions": [held({"nodes": [0, 1, 2]})], **others}


TIP = position("tip", "tet", region={"nodes": [3]})


def measured(p, of, force, times=1.0):
    """Returns the displacement of node 3, or the work of the force on it, under a load that was taken `times`."""
    def measure(run):
        u = [(x - start) / times for x, start in zip(run.place("tip"), p["X3"])]
        return dot(force, u) if of == "C" else u["xyz".index(of[1])]
    return measure


def loaded(model, times):
    def problem(p, _scheme, of, _case):
        """D11, D12. A force is spread evenly over the nodes of a face, of which two are held: a third of it is at node
        3, whatever the shape of the face. The displacement of the linear law is a thousandth, and its derivatives by
        node 3 are differences from 1: it is found for `times` the load, which loses no digits."""
        load = {"kind": "force", "region": {"nodes": [0, 1, 3]}, "value": [3.0 * times * f for f in p["f"]]}
        body = tetrahedron([p[f"X{i}"] for i in range(4)], model, p["E"], p["nu"], loads=[load])
        return Problem(static_scene([body], [TIP]), measured(p, of, p["f"], times))
    return problem


def heavy(p, _scheme, of, _case):
    """D13. A fourth of the weight is at node 3."""
    a, b, c = ([x - y for x, y in zip(p[f"X{i}"], p["X0"])] for i in (1, 2, 3))
    volume = dot(cross(a, b), c) / 6.0
    body = tetrahedron([p[f"X{i}"] for i in range(4)], "neo_hookean", p["E"], p["nu"], material={"density": p["rho"]})
    scene = static_scene([body], [TIP], gravity=[0.0, -p["g"], 0.0], time={"mass": "lumped"})
    return Problem(scene, measured(p, of, [Number(0.0), -0.25 * p["rho"] * p["g"] * volume, Number(0.0)]))


def swinging(p, scheme, _of, _case):
    """D24."""
    corners = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [p["L"], 0.2, 0.3]]
    body = tetrahedron(corners, "neo_hookean", p["E"], p["nu"], material={"density": p["rho"], "damping": p["c"]},
                       linear_velocity=[p["v0"], 0.0, 0.0])
    steps = whole(p["N"])
    scene = scene_of([body], [TIP], contact={"enabled": False}, step=p["h"], steps=steps, integrator=scheme,
                     time={"mass": "lumped"})
    return Problem(scene, lambda run: run["tip.x"] - p["L"], steps)


CASES = {"D11": loaded("linear_elasticity", 128.0), "D12": loaded("neo_hookean", 1.0), "D13": heavy, "D24": swinging}
