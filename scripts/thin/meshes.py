"""Meshes of thin bodies as `geometry` of a scene, in two families: a grid with one diagonal, and one without order."""

import math
import random


def rectangle(width, length, cells, family, place=lambda u, v: (u, 0.0, v)):
    """Returns a sheet of cells[0] x cells[1] over u in [0, width], v in [0, length], put in space by `place`."""
    nu, nv = cells
    draw = random.Random(5)
    points = []
    for j in range(nv + 1):
        for i in range(nu + 1):
            u, v = i / nu, j / nv
            if family == "unstructured":
                # Points of the border move along it.
                u += draw.uniform(-0.22, 0.22) / nu if 0 < i < nu else 0.0
                v += draw.uniform(-0.22, 0.22) / nv if 0 < j < nv else 0.0
            points.append((u * width, v * length))
    triangles = []
    for j in range(nv):
        for i in range(nu):
            a = j * (nu + 1) + i
            b, c, d = a + 1, a + nu + 2, a + nu + 1
            if family == "unstructured" and draw.random() < 0.5:
                triangles += [[a, d, b], [b, d, c]]
            else:
                triangles += [[a, d, c], [a, c, b]]
    return {"vertices": [list(place(u, v)) for u, v in points], "triangles": triangles}


def disk(radius, rings, family):
    """Returns a horizontal disk of `rings` rings, the outermost with 6 n points on the circle."""
    draw = random.Random(6)
    vertices, first = [[0.0, 0.0, 0.0]], [0]
    for ring in range(1, rings + 1):
        first.append(len(vertices))
        for k in range(6 * ring):
            r, angle = ring / rings, k / (6 * ring)
            if family == "unstructured":
                r += draw.uniform(-0.2, 0.2) / rings if ring < rings else 0.0
                angle += draw.uniform(-0.2, 0.2) / (6 * ring)
            angle *= 2.0 * math.pi
            vertices.append([radius * r * math.cos(angle), 0.0, radius * r * math.sin(angle)])
    triangles = []
    for ring in range(1, rings + 1):
        inner, outer = 6 * (ring - 1), 6 * ring
        for side in range(6):
            for k in range(ring):
                a = first[ring] + (side * ring + k) % outer
                b = first[ring] + (side * ring + k + 1) % outer
                low = 0 if ring == 1 else first[ring - 1] + (side * (ring - 1) + k) % inner
                triangles.append([a, low, b])
                if k + 1 < ring:
                    next_low = first[ring - 1] + (side * (ring - 1) + k + 1) % inner
                    triangles.append([b, low, next_low])
    return {"vertices": vertices, "triangles": triangles}


def line(points):
    return {"vertices": [list(p) for p in points], "edges": [[i, i + 1] for i in range(len(points) - 1)]}


def loop(points):
    mesh = line(points)
    mesh["edges"].append([len(points) - 1, 0])
    return mesh


def nodes(mesh, is_wanted):
    """Returns the numbers of the vertices that satisfy a condition."""
    return [i for i, x in enumerate(mesh["vertices"]) if is_wanted(*x)]
