"""Bending of a sheet whose nodes are all prescribed: the case bending-patch of thin_cases.json."""

import math
from collections import Counter

from thin.meshes import rectangle
from thin.scene import held, reaction, scene
from thin.shells import elastic, shell

FAMILIES = ("right", "crossed", "union-jack", "equilateral", "unstructured")


def square(cells, family):
    """Returns a unit square about the origin, in its plane x and z."""
    if family in ("right", "unstructured"):
        return rectangle(1.0, 1.0, (cells, cells), "grid" if family == "right" else family,
                         lambda u, v: (u - 0.5, 0.0, v - 0.5))
    vertices, triangles = [], []
    rows = cells + 1
    # Every other row of the equilateral mesh is moved by half a cell.
    shift, height = (0.5, math.sqrt(0.75)) if family == "equilateral" else (0.0, 1.0)
    for j in range(rows):
        vertices += [[(i + shift * (j % 2)) / cells - 0.5, 0.0, height * (j / cells - 0.5)] for i in range(rows)]
    for j in range(cells):
        for i in range(cells):
            a, b, c, d = j * rows + i, j * rows + i + 1, (j + 1) * rows + i + 1, (j + 1) * rows + i
            if family == "crossed":
                corners = [vertices[n] for n in (a, b, c, d)]
                vertices.append([sum(x[k] for x in corners) / 4 for k in range(3)])
                middle = len(vertices) - 1
                triangles += [[a, middle, b], [b, middle, c], [c, middle, d], [d, middle, a]]
            elif (i + j) % 2 == 0 if family == "union-jack" else j % 2 == 1:
                triangles += [[a, d, c], [a, c, b]]
            else:
                triangles += [[a, d, b], [b, d, c]]
    return {"vertices": vertices, "triangles": triangles}


def border_edges(mesh):
    """Returns the edges of one triangle alone."""
    edges = Counter(tuple(sorted((t[k], t[k - 1]))) for t in mesh["triangles"] for k in range(3))
    return [edge for edge, count in edges.items() if count == 1]


def area(mesh):
    points = mesh["vertices"]
    return sum(abs((points[b][0] - points[a][0]) * (points[c][2] - points[a][2]) -
                   (points[b][2] - points[a][2]) * (points[c][0] - points[a][0])) / 2 for a, b, c in mesh["triangles"])


def turned_edge(mesh, edge, slope):
    """Returns a motion that turns the normal of an edge and moves none of its nodes. `slope` is the gradient of the
    height, by x and z."""
    x, z = ([mesh["vertices"][n][k] for n in edge] for k in (0, 2))
    cx, cz = sum(x) / 2, sum(z) / 2
    steep = math.hypot(*slope)
    angle = math.atan(steep)
    # The axis is level and across the gradient: y turns towards (-slope x, 1, -slope z).
    axis = (-slope[1] / steep, 0.0, slope[0] / steep) if steep > 0.0 else (0.0, 0.0, 1.0)
    # Height that the turn about the middle would give a node: it is taken back, in the one direction that is held.
    lift = f"{math.sin(angle) * axis[2]!r} * (x - {cx!r}) - {math.sin(angle) * axis[0]!r} * (z - {cz!r})"
    return held(list(edge), clamp=True, components=[False, True, False], center=[cx, 0.0, cz],
                angular_velocity=[math.degrees(angle) * c for c in axis], displacement=["0", f"0 - t * ({lift})", "0"])


def bending_patch(program, p, e, cells, family):
    """Energy of bending on a cylinder, a shallow cap and a shallow saddle, over D / 2 R^2 and area."""
    r, t = p["radius"], p["thickness"]
    d = p["youngs_modulus"] * t ** 3 / 12.0 / (1.0 - p["poisson_ratio"] ** 2)
    # The cap and the saddle are shallow: slopes are below 0.015.
    size = 0.02 * r
    mesh = square(cells, family)
    mesh["vertices"] = [[size * c for c in x] for x in mesh["vertices"]]
    shapes = {"cylinder": ([f"{r!r} * sin(x / {r!r}) - x", f"{r!r} * (1 - cos(x / {r!r}))", "0"],
                           lambda x, z: (math.tan(x / r), 0.0)),
              "cap": (["0", f"(x * x + z * z) / {2 * r!r}", "0"], lambda x, z: (x / r, z / r)),
              "saddle": (["0", f"x * z / {r!r}", "0"], lambda x, z: (z / r, x / r))}
    results = {}
    for name, (formulas, gradient) in shapes.items():
        motions = []
        for edge in border_edges(mesh):
            x, z = (sum(mesh["vertices"][n][k] for n in edge) / 2 for k in (0, 2))
            motions.append(turned_edge(mesh, edge, gradient(x, z)))
        # The shape comes last: motions turn what those before them have moved.
        motions.append(held(list(range(len(mesh["vertices"]))), displacement=[f"t * ({f})" for f in formulas]))
        body = shell(mesh, t, elastic(p), motions)
        program.run(scene([body], [reaction("all", "shell", [0])], contact={"enabled": False}))
        results[name] = (program.steps[-1]["energy"]["bending"] / (area(mesh) * d / (2 * r * r)), e[name])
    return results


SHEETS = {"bending-patch": (bending_patch, 4)}
