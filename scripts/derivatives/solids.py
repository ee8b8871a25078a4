"""Solids of many elements: Hertz (D15) and a hollow sphere under pressure (D23)."""

import math

from bench_high_order import Fan, mesh_of, write_gmsh
from derivatives.number import Number, dot, sqrt, value_of
from derivatives.scenes import Problem, contact_of, gap, held, position, scene_of, static_scene


def round_face(radius, exact):
    """Returns a map that gives the plane y = 0 the shape of a ball of `radius` as far as `exact` from the axis, beyond
    which it becomes flat. The bulge fades with the height."""
    sagitta = radius - math.sqrt(radius * radius - exact * exact)
    slope = exact / math.sqrt(radius * radius - exact * exact)

    def place(p):
        away = math.hypot(p[0], p[2])
        if away <= exact:
            lift = radius - math.sqrt(radius * radius - away * away)
        else:
            lift = sagitta + slope * exact * (1.0 - math.exp(1.0 - away / exact))
        share = max(0.0, 1.0 - p[1] / (8.0 * exact))
        return (p[0], p[1] + lift * share * share, p[2])
    return place


def hertz(p, _scheme, of, _case):
    """D15. Theory has half-spaces: the far side of a ball would move by another 5 % of the depth. The ball continues as
    a block that is 50 contact radii wide, of which a quarter is simulated, and a force presses on its far side. The
    depth is the approach of the two sides, less what the gap closes. No probe has radius and pressure of the contact:
    they follow from depth and force by the formulas of the case. (The stress at the vertex in the middle is 18 % off on
    this mesh.)

    Theory is the limit of small loads: it leaves out that the surface moves inwards in the contact, by 1.5 % at the
    load of the case, where the derivative by Poisson's ratio is 8 % off. A share of the load is simulated, and results
    are scaled by the power of theory. They are means over the last loads of a run: the edge of the contact goes from
    vertex to vertex, so that the slope swings by 3 %."""
    share, steps, first = 1.0 / 64, 10, 4
    radius, force = value_of(p["R"]), share * value_of(p["F"])
    star = value_of(p["E"]) / (1 - value_of(p["nu"]) ** 2)
    reach = (0.75 * force * radius / star) ** (1 / 3)
    depth, cells, size = reach ** 2 / radius, 4, 1.4 * reach
    # Layers that grow somewhat faster than cells of one shape would.
    layers = [36.0 ** ((i + 1) / 8) for i in range(8)]
    fan = Fan(3, cells, layers, is_round=False)
    shape = round_face(radius, 2.0 * reach)
    mesh = mesh_of(fan, lambda q: shape([size * x for x in q]), 2)
    tiny, far = 1e-9 * reach, 36.0 * size
    top, start = mesh.nodes(lambda x, y, z: y > far - tiny), 1e-3 * depth
    scale = p["R"] / radius
    body = {"name": "ball", "mesh": "ball.msh", "units": "m", "self_contact": False,
            "motions": [held({"nodes": mesh.nodes(lambda x, y, z: x < tiny)}, "x"),
                        held({"nodes": mesh.nodes(lambda x, y, z: z < tiny)}, "z")],
            "loads": [{"kind": "force", "region": {"nodes": top}, "expression": ["0", f"-{share / 4!r} * F * t", "0"]}],
            "transform": {"scale": scale, "translation": [0.0, start, 0.0]},
            "material": {"model": "linear_elasticity", "youngs_modulus": p["E"], "poisson_ratio": p["nu"]}}
    probes = [position("far", "ball", region={"nodes": top}), gap("gap", "ball")]
    scene = scene_of([body], probes, integrator="quasi_static", step=1.0 / steps, steps=steps, half_spaces=[{}],
                     controls=[{"name": "F", "value": p["F"]}],
                     contact=contact_of(2e-3 * depth, formulation="convergent"))

    def measure(run):
        # The far side starts at the scaled height of the mesh above the gap.
        depths = [far * scale + g - y for g, y in zip(run.history("gap"), run.history("far.y"))]
        scaled = [depths[k] * (share * k / steps) ** (-2 / 3) for k in range(first, steps + 1)]
        mean = sum(scaled, Number(0.0)) / len(scaled)
        if of == "depth":
            return mean
        return sqrt(p["R"] * mean) if of == "radius" else 1.5 * p["F"] / (math.pi * p["R"] * mean)
    return Problem(scene, measure, files={"ball.msh": lambda path: write_gmsh(mesh, path)})


def octant(cells):
    """Returns directions over an eighth of the sphere and triangles between them, counterclockwise seen from outside,
    from `cells` to an edge of a corner of a cube."""
    directions, numbers, triangles = [], {}, []

    def number(axis, i, j):
        q = [math.tan(0.25 * math.pi * i / cells), math.tan(0.25 * math.pi * j / cells)]
        q.insert(axis, 1.0)
        key = tuple(round(x, 9) for x in q)
        if key not in numbers:
            numbers[key] = len(directions)
            length = math.sqrt(sum(x * x for x in q))
            directions.append([x / length if abs(x) > 1e-12 else 0.0 for x in q])
        return numbers[key]

    for axis in range(3):
        for i in range(cells):
            for j in range(cells):
                a, b, c, d = (number(axis, i + u, j + v) for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)))
                triangles += [outwards(directions, t) for t in ((a, b, c), (a, c, d))]
    return directions, triangles


def outwards(directions, triangle):
    a, b, c = (directions[v] for v in triangle)
    u, v = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
    normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    return triangle if sum(x * y for x, y in zip(normal, a)) > 0 else (triangle[0], triangle[2], triangle[1])


def prism_tets(triangle, below, above):
    """Cuts the prism between two copies of a triangle into tetrahedra; sides are cut alike on both of their sides,
    because the smaller number of a corner decides. `below` and `above` number its corners."""
    order = sorted(range(3), key=lambda k: triangle[k])
    low, high = [below[k] for k in order], [above[k] for k in order]
    return [(low[0], low[1], low[2], high[2]), (low[0], low[1], high[1], high[2]), (low[0], high[0], high[1], high[2])]


def hollow_sphere(p, _scheme, _of, _case):
    """D23: an eighth with planes of symmetry. The radius b follows the scale of the whole mesh, and a the vertices of
    the inside alone; where the vertices between lie does not matter. Vertices lie a little outside of the spheres, so
    that flat faces enclose the same volume."""
    cells, layers = 4, 5
    inner, outer = value_of(p["a"]), value_of(p["b"])
    directions, triangles = octant(cells)
    count = len(directions)
    enclosed = sum(volume_of(*(directions[v] for v in t)) for t in triangles)
    swelling = (math.pi / 6 / enclosed) ** (1 / 3)
    # A scale that turns b into b + db turns the inside a into a (b + db) / b; its vertices take that back.
    scale, own = p["b"] / outer, p["a"] / (p["b"] / outer)
    vertices = []
    for layer in range(layers + 1):
        size = own if layer == 0 else Number(inner * (outer / inner) ** (layer / layers))
        vertices += [[size * (swelling * x) if x != 0.0 else 0.0 for x in d] for d in directions]
    tets = []
    for layer in range(layers):
        for triangle in triangles:
            below, above = ([(layer + k) * count + v for v in triangle] for k in (0, 1))
            for tet in prism_tets(triangle, below, above):
                tets.append(oriented([[value_of(x) for x in v] for v in (vertices[i] for i in tet)], tet))
    tiny, large = 1e-9 * outer, 10.0 * outer

    def plane(axis):
        low, high = [-large] * 3, [large] * 3
        low[axis], high[axis] = -tiny, tiny
        return {"box": [low, high]}
    inside = {"nodes": list(range(count))}
    body = {"name": "shell", "order": 2, "geometry": {"vertices": vertices, "tets": tets},
            "transform": {"scale": [scale, scale, scale]},
            "material": {"model": "linear_elasticity", "youngs_modulus": p["E"], "poisson_ratio": p["nu"]},
            "motions": [held(plane(i), "xyz"[i]) for i in range(3)],
            "loads": [{"kind": "pressure", "region": inside, "pressure": "p"}]}
    scene = static_scene([body], [position("inside", "shell", region={"nodes": [*range(count)]})],
                         controls=[{"name": "p", "value": p["p"]}])

    def measure(run):
        """Returns the mean way outwards of the vertices of the inside, from the place where they start."""
        start = run.columns
        way = [column[-1] - column[0] for column in (start[f"inside.{axis}"] for axis in "xyz")]
        mean = [sum(d[i] for d in directions) / count for i in range(3)]
        return dot(way, mean) / dot(mean, mean)
    return Problem(scene, measure)


def oriented(corners, tet):
    """Returns the vertices of a tetrahedron in the order that gives it a positive volume."""
    edges = [[y - x for x, y in zip(corners[0], c)] for c in corners[1:]]
    return list(tet) if volume_of(*edges) > 0 else [tet[1], tet[0], tet[2], tet[3]]


def volume_of(u, v, w):
    """Returns the volume of a tetrahedron with these edges from a corner."""
    (a, b, c), (d, e, f), (g, h, i) = u, v, w
    return (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) / 6


CASES = {"D15": hertz, "D23": hollow_sphere}
