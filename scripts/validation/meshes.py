"""Meshes that an engineer would draw: grids of cells that a function maps to their place, cut into simplices."""

import itertools
import math
from dataclasses import dataclass, field


@dataclass
class Mesh:
    """Triangles (2D) or tetrahedra; groups name faces (2D: edges) or edges by their vertices."""
    points: list
    cells: list
    dim: int
    groups: dict = field(default_factory=dict)

    def add_group(self, name, where):
        """Names the faces on the surface all of whose vertices are where `where(x, y, z)` holds."""
        faces = [f for f in boundary(self.cells) if all(where(*self.points[v]) for v in f)]
        if not faces:
            raise ValueError(f"no face in group {name}")
        self.groups[name] = faces
        return self

    def add_line(self, name, where):
        """Names the edges of surface faces both of whose ends are where `where(x, y, z)` holds."""
        edges = {tuple(sorted(e)) for f in boundary(self.cells) for e in itertools.combinations(f, 2)}
        self.groups[name] = sorted(e for e in edges if all(where(*self.points[v]) for v in e))
        return self

    def nearest(self, point):
        return min(range(len(self.points)), key=lambda i: math.dist(self.points[i], point))

    def geometry(self):
        """Returns the mesh as it is written in a scene."""
        return {"vertices": [list(p) for p in self.points],
                "tets" if self.dim == 3 else "triangles": [list(c) for c in self.cells]}

    def gmsh(self):
        """Returns the text of a Gmsh 2.2 file, with the groups as physical groups."""
        kinds = {2: (1, 1), 3: (2, 2), 4: (4, 3)}  # vertices: Gmsh's type, dimension
        names = [*self.groups, "solid"]
        entries = [(g, f) for g in self.groups for f in self.groups[g]] + [("solid", c) for c in self.cells]
        dims = {g: kinds[len(f)][1] for g, f in entries}
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(names))]
        lines += [f'{dims[g]} {i + 1} "{g}"' for i, g in enumerate(names)]
        lines += ["$EndPhysicalNames", "$Nodes", str(len(self.points))]
        lines += [f"{i + 1} " + " ".join(map(repr, map(float, p))) for i, p in enumerate(self.points)]
        lines += ["$EndNodes", "$Elements", str(len(entries))]
        for i, (group, vertices) in enumerate(entries):
            tag = names.index(group) + 1
            lines.append(f"{i + 1} {kinds[len(vertices)][0]} 2 {tag} {tag} " + " ".join(str(v + 1) for v in vertices))
        return "\n".join([*lines, "$EndElements"]) + "\n"


def boundary(cells):
    """Returns the faces (2D: edges) that belong to one cell only."""
    owners = {}
    for cell in cells:
        for face in itertools.combinations(cell, len(cell) - 1):
            owners.setdefault(tuple(sorted(face)), []).append(face)
    return [found[0] for found in owners.values() if len(found) == 1]


def volume(points, cell):
    """Returns the volume (2D: area) of a simplex times 6 (2), with its sign."""
    a = points[cell[0]]
    rows = [[x - y for x, y in zip(points[v], a)] for v in cell[1:]]
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    (p, q, r), (s, t, u), (v, w, x) = rows
    return p * (t * x - u * w) - q * (s * x - u * v) + r * (s * w - t * v)


def grid(lines, place, dim=None):
    """Cuts a grid between the numbers of `lines` (one list an axis) into simplices; `place` maps its points.

    Points that `place` maps to the same place become one, and cells without a volume are left out.
    """
    dim = dim or len(lines)
    points, number, numbers = [], {}, {}
    for index in itertools.product(*(range(len(line)) for line in lines)):
        p = tuple(place(*(line[i] for line, i in zip(lines, index))))
        p = p + (0.0,) * (3 - len(p))
        key = tuple(round(x, 9) for x in p)
        if key not in numbers:
            numbers[key] = len(points)
            points.append(p)
        number[index] = numbers[key]
    cells = []
    for index in itertools.product(*(range(len(line) - 1) for line in lines)):
        for axes in itertools.permutations(range(dim)):
            at, corners = list(index), [number[index]]
            for axis in axes:
                at[axis] += 1
                corners.append(number[tuple(at)])
            if len(set(corners)) == dim + 1:
                cells.append(corners)
    sizes = [volume(points, c) for c in cells]
    tiny = 1e-9 * max(map(abs, sizes))
    cells = [c if s > 0 else [c[1], c[0], *c[2:]] for c, s in zip(cells, sizes) if abs(s) > tiny]
    return Mesh(points, cells, dim)


def even(low, high, count):
    return [low + (high - low) * i / count for i in range(count + 1)]


def graded(low, high, count, ratio):
    """Returns places from low to high whose distances grow, the last one `ratio` times the first."""
    factor = ratio ** (1 / max(count - 1, 1))
    steps = [factor ** i for i in range(count)]
    return [low + (high - low) * math.fsum(steps[:i]) / math.fsum(steps) for i in range(count + 1)]


def fine_then_graded(fine, count, end, factor):
    """Returns places from 0: `count` steps of about `fine`, then ever longer ones up to `end`."""
    places, step = [i * fine for i in range(count + 1)], fine
    while places[-1] < end:
        step *= factor
        places.append(places[-1] + step)
    start, reach = places[count], places[-1]
    return [x if i <= count else start + (x - start) * (end - start) / (reach - start)
            for i, x in enumerate(places)]


def disc_point(u, v, radius):
    """Maps the square between -1 and 1 onto a disc."""
    return radius * u * math.sqrt(1 - v * v / 2), radius * v * math.sqrt(1 - u * u / 2)
