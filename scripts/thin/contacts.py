"""Contact of thin bodies: particles on a slope, a stack of sheets, crossed rods."""

import math

from bench_common import ROOT
from thin.meshes import line, rectangle
from thin.scene import held, position, scene


def particle_on_slope(program, p, e, _count):
    """Planes of 2, 200 and 20,000 triangles; the way in the last half second is that of a constant acceleration."""
    results = {}
    angle, r, mu = math.radians(p["slope_deg"]), p["radius"], p["friction"]
    down = (math.cos(angle), -math.sin(angle), 0.0)
    normal = (math.sin(angle), math.cos(angle), 0.0)
    for cells in (1, 10, 100):
        plane = rectangle(4.0, 1.0, (cells, cells), "grid",
                          lambda u, v: (u * down[0] - 0.5 * down[0], u * down[1] - 0.5 * down[1], v - 0.5))
        start = [0.1 * down[i] + (r + 1e-6) * normal[i] for i in range(3)]
        ball = {"name": "ball", "kind": "particles", "geometry": {"vertices": [start]}, "thickness": 2 * r,
                "material": {"density": 1000.0}}
        bodies = [ball, {"name": "slope", "kind": "obstacle", "geometry": plane}]
        step, duration = 0.005, 1.0

        def slide(coefficient, bodies=bodies, start=start):
            """Returns the way down the slope and the height above it, at the end of every step."""
            probes = program.run(scene(bodies, [position("ball", "ball", 0)], is_static=False, step=step,
                                       duration=duration, gravity=p["gravity"], friction={"coefficient": coefficient}))
            places = list(zip(*(probes[f"ball.{c}"] for c in "xyz")))
            return ([sum((x[k] - start[k]) * down[k] for k in range(3)) for x in places],
                    [sum(x[k] * normal[k] for k in range(3)) for x in places])

        way, heights = slide(p["friction"])
        n, m = len(way) - 1, (len(way) - 1) // 2
        acceleration = 4.0 * (way[n] - 2.0 * way[m] + way[0]) / (n * step) ** 2
        results[f"acceleration {2 * cells * cells}"] = (acceleration, e["acceleration"])
        results[f"height {2 * cells * cells}"] = (1.0 if min(heights) > r else 0.0, 1.0)
        # With friction a hundredth above the slope it stays where it is: it does not creep.
        held_by_friction, _ = slide(1.01 * math.tan(angle))
        creep = abs(held_by_friction[n] - held_by_friction[m]) / (duration / 2)
        results[f"creep {2 * cells * cells}"] = (creep, 0.0)
    return results


def sheet_stack(program, p, e, _count):
    """Sheets dropped flat, each a little turned, come to rest on a floor."""
    bodies = []
    t, n = p["thickness"], int(p["sheets"])
    for i in range(n):
        mesh = rectangle(0.1, 0.1, (10, 10), "unstructured", lambda u, v: (u - 0.05, 0.0, v - 0.05))
        bodies.append({"name": f"sheet{i}", "kind": "shell", "geometry": mesh, "thickness": t,
                       "transform": {"rotation": [0, 7.0 * i, 0], "translation": [0, (i + 0.5) * 1.3 * t + 1e-4, 0]},
                       "material": {"youngs_modulus": 1e7, "poisson_ratio": 0.3, "density": 1000.0}})
    probes = [{"name": name, "kind": "position", "body": f"sheet{i}"} for name, i in (("low", 0), ("high", n - 1))]
    result = program.run(scene(bodies, probes, is_static=False, integrator="implicit_euler", step=0.01, duration=0.5,
                               gravity=9.81, contact={"dhat": p["dhat"], "dhat_is_absolute": True},
                               half_spaces=[{"point": [0, 0, 0], "normal": [0, 1, 0]}]))
    height = result["high.y"][-1] - result["low.y"][-1]
    inside = e["height_at_least"] <= height <= e["height_at_most"]
    return {"height": (height if not inside else 1.0, 1.0)}


def rod_crossing(program, p, e, _count):
    """Two crossed rods pressed together by their ends; the axes stay two radii apart, whatever the segments."""
    results = {}
    r = p["rod_radius"]
    for segments in (0.5, 1.0, 2.0, 4.0):
        half = 10 * r
        n = 2 * round(half / (segments * r))
        xs = [-half + 2 * half * i / n for i in range(n + 1)]
        lower = line([(x, 0.0, 0.0) for x in xs])
        upper = line([(0.0, 2.2 * r, x) for x in xs])
        material = {"youngs_modulus": 1e6, "poisson_ratio": 0.3, "density": 1000.0}
        press = [f"0 - {0.6 * r!r} * t", "0", "0"]
        bodies = [{"name": "lower", "kind": "rod", "geometry": lower, "thickness": 2 * r, "material": material,
                   "motions": [held([0, n])]},
                  {"name": "upper", "kind": "rod", "geometry": upper, "thickness": 2 * r, "material": material,
                   "motions": [held([0, n], displacement=["0", press[0], "0"])]}]
        probes = program.run(scene(bodies, [position("a", "lower", n // 2), position("b", "upper", n // 2)],
                                   is_static=False, integrator="implicit_euler", step=0.05, duration=1.0))
        gap = min(b - a for a, b in zip(probes["a.y"], probes["b.y"]))
        results[f"gap {segments:g} r"] = (1.0 if gap >= e["crossing_distance_at_least"] else gap, 1.0)
    gap = knot_gap(program, r)
    results["knot"] = (1.0 if gap >= e["knot_gap_at_least"] else gap, 1.0)
    return results


def segment_distance(a, b, c, d):
    """Returns the distance of the segments ab and cd."""
    u, v, w = (tuple(y - x for x, y in zip(*pair)) for pair in ((a, b), (c, d), (c, a)))
    dot = [[sum(x * y for x, y in zip(p, q)) for q in (u, v, w)] for p in (u, v, w)]
    det = dot[0][0] * dot[1][1] - dot[0][1] ** 2
    s = (dot[0][1] * dot[1][2] - dot[1][1] * dot[0][2]) / det if det > 1e-12 * dot[0][0] * dot[1][1] else 0.0
    # The nearest points in turn: of cd to that of ab, and of ab to that of cd.
    s = min(max(s, 0.0), 1.0)
    t = min(max((s * dot[0][1] + dot[1][2]) / dot[1][1], 0.0), 1.0)
    s = min(max((t * dot[0][1] - dot[0][2]) / dot[0][0], 0.0), 1.0)
    return math.dist([x + s * k for x, k in zip(a, u)], [x + t * k for x, k in zip(c, v)])


def knot_gap(program, r):
    """The overhand knot of the examples is pulled tight. Returns the least distance of two segments that are farther
    than pi radii from each other along the rod, from ten times."""
    text = (ROOT / "examples" / "overhand_knot.obj").read_text(encoding="utf-8").splitlines()
    # The cord of the example has a radius of 3 mm.
    points = [[float(x) * r / 0.003 for x in row.split()[1:]] for row in text if row.startswith("v ")]
    n = len(points)
    speed = 20.0 * r
    motions = [held([0, 1], clamp=True, linear_velocity=[-speed, 0, 0]),
               held([n - 2, n - 1], clamp=True, linear_velocity=[speed, 0, 0])]
    cord = {"name": "cord", "kind": "rod", "thickness": 2 * r, "geometry": line(points), "motions": motions,
            "rod": {"straight_at_rest": True},
            "material": {"youngs_modulus": 1e7, "poisson_ratio": 0.4, "density": 1100.0}}
    probes = program.run(scene([cord], [position(f"n{i}", "cord", i) for i in range(n)], is_static=False,
                               integrator="implicit_euler", step=0.0025, duration=3.0, friction={"coefficient": 0.3}))
    rows = len(probes["n0.x"])
    along = [0.0]
    for a, b in zip(points, points[1:]):
        along.append(along[-1] + math.dist(a, b))
    gap = math.inf
    for row in range(rows // 10, rows, rows // 10):
        places = list(zip(*([probes[f"n{i}.{c}"][row] for i in range(n)] for c in "xyz")))
        for i in range(n - 1):
            for j in range(i + 1, n - 1):
                if along[j] - along[i + 1] > math.pi * r and math.dist(places[i], places[j]) < 10 * r:
                    gap = min(gap, segment_distance(places[i], places[i + 1], places[j], places[j + 1]))
    return gap


CASES = {"particle-on-slope": (particle_on_slope, 1), "sheet-stack": (sheet_stack, 1), "rod-crossing": (rod_crossing, 1)}
