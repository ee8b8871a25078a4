"""Vectors in space as tuples of three numbers, matrices as tuples of rows."""

import math


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def mul(s, a):
    return (s * a[0], s * a[1], s * a[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return mul(1 / norm(a), a)


def total(vectors):
    return tuple(math.fsum(v[k] for v in vectors) for k in range(3))


def without(a, n):
    """Returns the part of `a` perpendicular to the unit vector `n`."""
    return sub(a, mul(dot(a, n), n))


def apply(matrix, a):
    return tuple(dot(row, a) for row in matrix)


def solve3(m, b):
    """Returns x of m x = b, by Cramer's rule."""
    columns = [tuple(row[k] for row in m) for k in range(3)]
    det = dot(columns[0], cross(columns[1], columns[2]))
    return (dot(b, cross(columns[1], columns[2])) / det, dot(columns[0], cross(b, columns[2])) / det,
            dot(columns[0], cross(columns[1], b)) / det)


def rotation(axis, angle):
    """Returns the rows of the rotation by `angle` [rad] about the unit vector `axis` (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    columns = []
    for k in range(3):
        e = tuple(float(i == k) for i in range(3))
        columns.append(add(add(mul(c, e), mul(s, cross(axis, e))), mul((1 - c) * axis[k], axis)))
    return tuple(zip(*columns))


def euler(degrees):
    """Returns the rows of R = Rz Ry Rx, as in a scene's transform."""
    x, y, z = (rotation(tuple(float(i == k) for i in range(3)), math.radians(degrees[k])) for k in range(3))
    return product(z, product(y, x))


def product(a, b):
    columns = list(zip(*b))
    return tuple(tuple(dot(row, column) for column in columns) for row in a)
