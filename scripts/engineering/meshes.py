"""Grids that an engineer would make: graded blocks with round faces, rings, belts."""

import math


def graded(fine, count, growth, end):
    """Returns 0 ... end: `count` steps of about `fine`, then ever longer ones."""
    at, step = [i * fine for i in range(count + 1)], fine
    while at[-1] < end:
        step *= growth
        at.append(at[-1] + step)
    start = at[count]
    return [x if i <= count else start + (x - start) * (end - start) / (at[-1] - start) for i, x in enumerate(at)]


def signed_area(vertices, triangle):
    a, b, c = (vertices[v] for v in triangle)
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def quads(nx, ny, vertex, leans):
    """Returns two triangles a cell; `leans(i, j)` says along which diagonal."""
    triangles = []
    for i in range(nx):
        for j in range(ny):
            a, b, c, d = vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)
            triangles += [[a, b, c], [a, c, d]] if leans(i, j) else [[a, b, d], [b, c, d]]
    return triangles


def planar(vertices, triangles):
    """Returns the geometry, its triangles counterclockwise."""
    turned = [t if signed_area(vertices, t) > 0 else [t[1], t[0], t[2]] for t in triangles]
    return {"vertices": vertices, "triangles": turned}


def ring(inner, outer, rings, around, angle=360.0):
    """Returns a ring in the plane, or a sector of it from the x axis on."""
    is_full = angle >= 360.0
    columns = around if is_full else around + 1
    vertices = []
    for i in range(rings + 1):
        r = inner + (outer - inner) * i / rings
        for j in range(columns):
            turn = math.radians(angle) * j / around
            vertices.append([r * math.cos(turn), r * math.sin(turn), 0.0])
    return planar(vertices, quads(rings, around, lambda i, j: i * columns + (j % around if is_full else j),
                                  lambda i, j: (i + j) % 2))


def round_block(radius, width, height, fine, growth, count):
    """Returns a block in the plane, |x| < width, whose lower face is round and touches y = 0."""
    half, deep = graded(fine, count, growth, width), graded(fine, count, growth, height)
    wide = [-x for x in half[:0:-1]] + half
    vertices = []
    for y in deep:
        for x in wide:
            f = radius - math.sqrt(radius**2 - x * x)
            vertices.append([x, f + y * (height - f) / height, 0.0])
    n = len(wide)
    return planar(vertices, quads(n - 1, len(deep) - 1, lambda i, j: j * n + i, lambda i, j: wide[i] >= 0))


def tetrahedra_of_grid(nx, ny, nz, vertex):
    """Returns six tetrahedra a cell (Freudenthal's)."""
    tets = []
    odd = ((0, 2, 1), (1, 0, 2), (2, 1, 0))
    for i, j, k in ((i, j, k) for i in range(nx) for j in range(ny) for k in range(nz)):
        for path in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
            at, corners = [i, j, k], [vertex(i, j, k)]
            for axis in path:
                at[axis] += 1
                corners.append(vertex(*at))
            tets.append([corners[1], corners[0], *corners[2:]] if path in odd else corners)
    return tets


def dome(radius, width, height, fine, count, growth):
    """Returns a quarter (x, z >= 0) of a block whose lower face is a part of a sphere and touches y = 0."""
    wide, deep = graded(fine, count, growth, width), graded(fine, count, growth, height)
    n, m = len(wide), len(deep)
    vertices = []
    for x in wide:
        for y in deep:
            for z in wide:
                f = radius - math.sqrt(radius**2 - x * x - z * z)
                vertices.append([x, f + y * (height - f) / height, z])
    return {"vertices": vertices,
            "tets": tetrahedra_of_grid(n - 1, m - 1, n - 1, lambda i, j, k: (i * m + j) * n + k)}


def polygon(radius, sides):
    """Returns an outline in the plane, with a vertex on the x axis."""
    turns = [2 * math.pi * i / sides for i in range(sides)]
    return {"vertices": [[radius * math.cos(t), radius * math.sin(t), 0.0] for t in turns],
            "edges": [[i, (i + 1) % sides] for i in range(sides)]}


def belt(radius, thickness, angle, tail, around, along):
    """Returns a belt around a drum at the origin, by an angle from the left side over the top, then straight on; both
    tails have the same length. One cell through its thickness."""
    line = [((-radius, -tail + tail * i / along), (-1.0, 0.0)) for i in range(along)]
    for i in range(around + 1):
        turn = math.pi - math.radians(angle) * i / around
        line.append(((radius * math.cos(turn), radius * math.sin(turn)), (math.cos(turn), math.sin(turn))))
    (x, y), (nx, ny) = line[-1]
    line += [((x + ny * tail * i / along, y - nx * tail * i / along), (nx, ny)) for i in range(1, along + 1)]
    vertices = [[p[0] + n[0] * d, p[1] + n[1] * d, 0.0] for p, n in line for d in (0.0, thickness)]
    return planar(vertices, quads(len(line) - 1, 1, lambda i, j: 2 * i + j, lambda i, j: True))
