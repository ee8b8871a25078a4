#!/usr/bin/env python3
"""Degenerate queries of continuous collision detection, more than 20,000, as a binary file (src/clearance/io/ccd/ccd_query_file.h).

Most answers are known by construction, in rational arithmetic:

- A hit is made at a chosen time: of the four vertices three move at will, the first so that a chosen point of one
  primitive meets one of the other. Two such times determine its motion.
- A near miss is made of primitives that only touch: on different sides of a plane at both ends of the motion, hence
  always, they meet in it; then every coordinate of one of them goes to the next double away from the plane.
- Integer matrices, translations, powers of two, another order of the vertices, and time backwards change no answer.

The others (these with some coordinates changed by one ulp, and motions that are coplanar at three times) are stored
as unknown; `clearance ccd-label` answers them, and reports known answers that are wrong.
"""

import argparse
import math
import random
import struct
from fractions import Fraction
from pathlib import Path

VERTEX_FACE, EDGE_EDGE, UNKNOWN = 0, 1, 255
ZERO, QUARTER, HALF, ONE = Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)

# The contact of a hit (a vertex, an edge or the inside of the second primitive), as weights of the vertices.
CONTACTS = {
    (VERTEX_FACE, "vertex"): [(ONE, -ONE, ZERO, ZERO), (ONE, ZERO, ZERO, -ONE)],
    (VERTEX_FACE, "edge"): [(ONE, -HALF, -HALF, ZERO), (ONE, -QUARTER, ZERO, QUARTER - 1)],
    (VERTEX_FACE, "inside"): [(ONE, -HALF, -QUARTER, -QUARTER), (ONE, -QUARTER, -QUARTER, -HALF)],
    (EDGE_EDGE, "vertex"): [(ONE, ZERO, -ONE, ZERO), (ONE, ZERO, ZERO, -ONE)],
    (EDGE_EDGE, "edge"): [(ONE, ZERO, -HALF, -HALF), (ONE, ZERO, -QUARTER, QUARTER - 1)],
    (EDGE_EDGE, "inside"): [(HALF, HALF, -HALF, -HALF), (QUARTER, 1 - QUARTER, -HALF, -HALF)],
}
FEATURES = ("vertex", "edge", "inside")


class Query:
    """A query: vertices at t0 and t1, as lists of coordinates. For a touching query, `side` is a normal of the plane
    between the primitives, to the side of the first."""

    def __init__(self, kind, t0, t1, answer, side=None):
        self.kind, self.t0, self.t1, self.answer, self.side = kind, t0, t1, answer, side

    def ends(self):
        return self.t0, self.t1

    def first_primitive(self):
        return (0,) if self.kind == VERTEX_FACE else (0, 1)


def combine(weights, vectors):
    return [sum(w * v[c] for w, v in zip(weights, vectors)) for c in range(3)]


def at(t0, t1, time):
    return combine((1 - time, time), (t0, t1))


def sign(x):
    return (x > 0) - (x < 0)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def vector(self, dimensions=3, size=8):
        return [Fraction(self.random.randint(-size, size) if c < dimensions else 0) for c in range(3)]

    def vertices(self, dimensions=3, size=8):
        return [self.vector(dimensions, size) for _ in range(4)]

    def time(self):
        return self.random.choice((ZERO, QUARTER, HALF, ONE))

    # --- hits ---

    def meet(self, query, conditions, dimensions=3):
        """Moves vertex 0 so that weighted vertices meet: one or two pairs of weights and time."""
        places = [[-c / weights[0] for c in combine(weights[1:], [at(query.t0[k], query.t1[k], time) for k in (1, 2, 3)])]
                  for weights, time in conditions]
        time, place = conditions[0][1], places[0]
        if len(conditions) == 2:
            velocity = [(b - a) / (conditions[1][1] - time) for a, b in zip(place, places[1])]
        else:
            velocity = self.vector(dimensions)
        query.t0[0] = [p - time * v for p, v in zip(place, velocity)]
        query.t1[0] = [p + (1 - time) * v for p, v in zip(place, velocity)]
        query.answer = 1
        return query

    def hit(self, kind, feature=None, dimensions=3, times=None, shape=None):
        query = Query(kind, self.vertices(dimensions), self.vertices(dimensions), UNKNOWN)
        for t in query.ends():
            if shape:
                shape(t)
        weights = lambda: self.random.choice(CONTACTS[kind, feature or self.random.choice(FEATURES)])
        return self.meet(query, [(weights(), time) for time in times or [self.time()]], dimensions)

    def always(self, kind):
        """Returns a query in contact all the time."""
        query = Query(kind, self.vertices(), self.vertices(), 1)
        weights = self.random.choice(CONTACTS[kind, self.random.choice(FEATURES)])
        for t in query.ends():
            t[0] = [-c / weights[0] for c in combine(weights[1:], t[1:])]
        return query

    def two_times(self, kind):
        times = self.random.choice(((ZERO, ONE), (ZERO, HALF), (QUARTER, HALF), (QUARTER, 3 * QUARTER), (HALF, ONE)))
        return self.hit(kind, "inside", times=times)

    def flat_triangle(self, kind):
        """Returns a triangle whose third vertex is on the line of the others, or at one of them."""
        share = self.random.choice((ZERO, ONE, HALF, Fraction(2)))

        def flatten(t):
            t[3] = at(t[1], t[2], share)
        return self.hit(kind, shape=flatten)

    def point_triangle(self, kind):
        def shrink(t):
            t[2], t[3] = list(t[1]), list(t[1])
        return self.hit(kind, shape=shrink)

    def zero_edge(self, kind):
        def shrink(t):
            t[3] = list(t[2])
        return self.hit(kind, shape=shrink)

    def zero_edges(self, kind):
        """Returns two points that meet, each an edge of length zero."""
        def shrink(t):
            t[3] = list(t[2])
        query = self.hit(kind, "vertex", shape=shrink)
        for t in query.ends():
            t[1] = list(t[0])
        return query

    def parallel_edges(self, kind):
        """Returns edges that are parallel all the time, and on one line at the hit or, every other one, all the
        time."""
        direction, begin, velocity_a, time = self.vector(), self.vector(), self.vector(), self.time()
        steps = self.random.randint(-3, 3)
        slide = [v + steps * d for v, d in zip(velocity_a, direction)]
        velocity_b = self.random.choice((slide, self.vector()))
        offset = self.random.choice((ZERO, HALF, ONE, QUARTER))
        places = (ZERO, ONE, offset, offset + self.random.choice((-2, -1, HALF, 1, 3)))
        query = Query(kind, [], [], 1)
        for k, place in enumerate(places):
            velocity = velocity_a if k < 2 else velocity_b
            x = [b + place * d for b, d in zip(begin, direction)]
            query.t0.append([p - time * v for p, v in zip(x, velocity)])
            query.t1.append([p + (1 - time) * v for p, v in zip(x, velocity)])
        return query

    # --- touching, and near misses ---

    def touch(self, kind, dimensions, when):
        """Returns primitives that are always on different sides of the plane z = 0 (of the line y = 0 in two
        dimensions), where they meet at t0, at t1 or on the way."""
        axis = dimensions - 1
        query = Query(kind, self.vertices(axis), self.vertices(axis), UNKNOWN, [int(c == axis) for c in range(3)])
        weights = self.random.choice(CONTACTS[kind, self.random.choice(FEATURES)])
        self.meet(query, [(weights, {"start": ZERO, "end": ONE, "way": HALF}[when])], axis)
        for k in range(4):
            side = 1 if k in query.first_primitive() else -1
            for t, end in ((query.t0, "start"), (query.t1, "end")):
                is_in_plane = weights[k] != 0 and when in (end, "way")
                t[k][axis] = ZERO if is_in_plane else Fraction(side * self.random.randint(0, 6))
        return query

    def separate(self, query):
        """Moves every coordinate of the first primitive to the next double away from the plane."""
        for t in query.ends():
            for k in query.first_primitive():
                t[k] = [math.nextafter(x, sign(n) * math.inf) if n != 0 else x for x, n in zip(t[k], query.side)]
        query.answer = 0

    def disturb(self, query):
        """Moves each coordinate to one of the next doubles, or leaves it alone."""
        for t in query.ends():
            for k in range(4):
                t[k] = [self.random.choice((x, x, math.nextafter(x, math.inf), math.nextafter(x, -math.inf))) for x in t[k]]
        query.answer = UNKNOWN

    # --- three coplanar times ---

    def three_times(self, kind):
        """Returns a query whose coplanarity changes its sign three times within (0, 1)."""
        def coplanarity(t0, t1, time):
            x = [[3 * a + time * (b - a) for a, b in zip(p, q)] for p, q in zip(t0, t1)]
            corners = ((0, 1), (2, 1), (3, 1)) if kind == VERTEX_FACE else ((1, 0), (3, 2), (2, 0))
            a, b, c = [[p - q for p, q in zip(x[k], x[l])] for k, l in corners]
            return sign(dot(a, cross(b, c)))
        while True:
            t0, t1 = [[[self.random.randint(-20, 20) for _ in range(3)] for _ in range(4)] for _ in range(2)]
            signs = [coplanarity(t0, t1, thirds) for thirds in range(4)]
            if signs in ([1, -1, 1, -1], [-1, 1, -1, 1]):
                return Query(kind, t0, t1, UNKNOWN)

    # --- what changes no answer ---

    def transform(self, query, is_oblique):
        """Maps a query by an integer matrix (or a permutation of the axes), a translation and a power of two, into
        doubles."""
        matrix = [[0] * 3] * 3
        while is_oblique and dot(matrix[0], cross(matrix[1], matrix[2])) == 0:
            matrix = [[self.random.randint(-3, 3) for _ in range(3)] for _ in range(3)]
        if not is_oblique:
            order = self.random.sample(range(3), 3)
            matrix = [[self.random.choice((-1, 1)) * int(c == axis) for c in range(3)] for axis in order]
        scale = Fraction(2) ** self.random.randint(-20, 20)
        far = self.random.choice((0, 0, 2**10, 2**20, 2**30, 2**36))
        offset = [self.random.randint(-far, far) for _ in range(3)]
        for t in query.ends():
            for k in range(4):
                exact = [scale * (dot(row, t[k]) + o) for row, o in zip(matrix, offset)]
                t[k] = [float(c) for c in exact]
                assert [Fraction(c) for c in t[k]] == exact, "these are no doubles"
        if query.side:
            # A plane's normal transforms with the inverse of the transpose, here times the square of the determinant.
            a, b, c = matrix
            cofactors = (cross(b, c), cross(c, a), cross(a, b))
            query.side = [dot(a, cross(b, c)) * dot(row, query.side) for row in cofactors]

    def reorder(self, query):
        if query.kind == VERTEX_FACE:
            order = [0, *self.random.sample((1, 2, 3), 3)]
        else:
            edges = [self.random.sample((0, 1), 2), self.random.sample((2, 3), 2)]
            self.random.shuffle(edges)
            order = edges[0] + edges[1]
        query.t0, query.t1 = [query.t0[k] for k in order], [query.t1[k] for k in order]
        if self.random.random() < 0.5:
            query.t0, query.t1 = query.t1, query.t0


def recipes(make):
    """Returns name, kinds, and function from a kind to a query with vertices in rational numbers."""
    both = (VERTEX_FACE, EDGE_EDGE)
    for feature in FEATURES:
        yield f"hit, {feature}", both, lambda kind, feature=feature: make.hit(kind, feature)
    yield "coplanar motion", both, lambda kind: make.hit(kind, dimensions=2)
    yield "motion on a line", both, lambda kind: make.hit(kind, dimensions=1)
    yield "contact all the time", both, make.always
    yield "hit at two times", both, make.two_times
    yield "coplanar at three times", both, make.three_times
    yield "flat triangle", (VERTEX_FACE,), make.flat_triangle
    yield "point as a triangle", (VERTEX_FACE,), make.point_triangle
    yield "edge of length zero", (EDGE_EDGE,), make.zero_edge
    yield "two edges of length zero", (EDGE_EDGE,), make.zero_edges
    yield "parallel edges", (EDGE_EDGE,), make.parallel_edges
    for when in ("start", "way", "end"):
        yield f"touching, {when}", both, lambda kind, when=when: make.touch(kind, 3, when)
        yield f"touching in a plane, {when}", both, lambda kind, when=when: make.touch(kind, 2, when)


def make_queries(seed, num_known, num_disturbed):
    make = Generator(seed)
    for _, kinds, recipe in recipes(make):
        for kind in kinds:
            for i in range(num_known + num_disturbed):
                query = recipe(kind)
                make.transform(query, is_oblique=i % 2 == 0)
                if i >= num_known:
                    make.disturb(query)
                elif query.side and i % 4 >= 2:
                    make.separate(query)
                make.reorder(query)
                yield query


def write_queries(path, queries):
    """Writes the format of src/clearance/io/ccd/ccd_query_file.h. Returns the number of queries and of known
    answers."""
    records = [struct.pack("<BB24d", q.kind, q.answer, *(c for t in q.ends() for x in t for c in x)) for q in queries]
    header = struct.pack("<8sIIQ", b"clr-ccd\n", 1, 194, len(records))
    Path(path).write_bytes(header + b"".join(records))
    return len(records), sum(record[1] != UNKNOWN for record in records)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help=".ccd file to write")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--known", type=int, default=500, help="queries of each kind and recipe with a known answer")
    parser.add_argument("--disturbed", type=int, default=300, help="queries of each kind and recipe changed by ulps")
    options = parser.parse_args()
    num_queries, num_known = write_queries(options.output, make_queries(options.seed, options.known, options.disturbed))
    print(f"{options.output}: {num_queries} queries, {num_known} known answers")


if __name__ == "__main__":
    main()
