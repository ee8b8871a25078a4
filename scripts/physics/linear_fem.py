"""Linear elasticity on given tetrahedra: the reference for bending, where linear elements are too stiff by far.

Small strains, linear shape functions: K u = f with K_e = V B^T D B. Written for this comparison; it uses the mesh of a
run and nothing else of the program. Unknowns in the order of the vertices, so that a box's matrix has a narrow band.
"""

import math
from operator import mul

from . import vectors as vec


def gradients(points, tetrahedron):
    """Returns the gradients of the four shape functions, and the volume."""
    p0, p1, p2, p3 = (points[i] for i in tetrahedron)
    a, b, c = vec.sub(p1, p0), vec.sub(p2, p0), vec.sub(p3, p0)
    det = vec.dot(a, vec.cross(b, c))
    g1, g2, g3 = (vec.mul(1 / det, v) for v in (vec.cross(b, c), vec.cross(c, a), vec.cross(a, b)))
    return (vec.mul(-1, vec.add(g1, vec.add(g2, g3))), g1, g2, g3), abs(det) / 6


def stiffness(points, tetrahedra, young, poisson):
    """Returns rows of the lower half of K as dictionaries. Block (a, b): V (la ga gb^T + mu gb ga^T + mu ga.gb I)."""
    mu, la = young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    rows = [{} for _ in range(3 * len(points))]
    for tetrahedron in tetrahedra:
        g, volume = gradients(points, tetrahedron)
        for a, i in enumerate(tetrahedron):
            for b, j in enumerate(tetrahedron):
                if j > i:
                    continue
                inner = vec.dot(g[a], g[b])
                for k in range(3):
                    row = rows[3 * i + k]
                    for m in range(3):
                        value = la * g[a][k] * g[b][m] + mu * g[b][k] * g[a][m] + (mu * inner if k == m else 0.0)
                        row[3 * j + m] = row.get(3 * j + m, 0.0) + volume * value
    return rows


def solve(rows, force, held):
    """Solves K u = force with u = 0 at the unknowns `held`, by Cholesky within the band."""
    free = [i for i in range(len(rows)) if i not in held]
    place = {i: n for n, i in enumerate(free)}
    factor, first = [], []
    for n, i in enumerate(free):
        entries = {place[j]: v for j, v in rows[i].items() if j in place and place[j] <= n}
        begin = min(entries)
        line = [entries.get(j, 0.0) for j in range(begin, n + 1)]
        for j in range(begin, n + 1):
            low = max(begin, first[j] if j < n else begin)
            other = factor[j] if j < n else line
            other_first = first[j] if j < n else begin
            s = sum(map(mul, line[low - begin:j - begin], other[low - other_first:j - other_first]))
            line[j - begin] = math.sqrt(line[j - begin] - s) if j == n else (line[j - begin] - s) / factor[j][-1]
        factor.append(line)
        first.append(begin)
    y = [force[i] for i in free]
    for n, line in enumerate(factor):
        y[n] = (y[n] - sum(map(mul, line[:-1], y[first[n]:n]))) / line[-1]
    for n in range(len(free) - 1, -1, -1):
        y[n] /= factor[n][-1]
        for j in range(first[n], n):
            y[j] -= factor[n][j - first[n]] * y[n]
    result = [0.0] * len(rows)
    for n, i in enumerate(free):
        result[i] = y[n]
    return result
