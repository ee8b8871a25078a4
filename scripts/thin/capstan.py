"""A rope and a strip that are drawn over a fixed bollard: the case capstan of thin_cases.json."""

import math

from thin.meshes import line, rectangle
from thin.rods import rod
from thin.scene import held, ramp, reaction, scene
from thin.shells import shell

RADIUS = 0.1  # [m] of the bollard
# The strain under the pull of the tight side. It is small, but stretches the rope by more than the gap of its start.
STRAIN = 2.5e-3


class Way:
    """The way of a rope: a straight piece, the wrap, and a straight piece. On half a turn lie `count` segments, and
    none that is up to `longest` times as long cuts the bollard."""

    def __init__(self, p, count, longest=1.0):
        self.wrap = math.radians(p["wrap_deg"])
        self.thickness = RADIUS / p["radius_over_thickness"]
        self.ratio = math.exp(p["friction"] * self.wrap)
        self.pull = p["slack_side_tension"]
        # A gap at the start that leaves the barrier its room.
        self.radius = RADIUS + 0.55 * self.thickness
        count = round(count * max(1.0, self.wrap / math.pi))
        self.size = self.radius * self.wrap / count
        self.node_radius = self.radius / math.cos(0.5 * longest * self.size / self.radius)
        self.num_straight = max(4, round(0.5 * RADIUS / self.size))
        self.num_segments = count + 2 * self.num_straight
        self.num_sides = max(240, 12 * count)

    def angle(self, s):
        return 0.5 * (math.pi + self.wrap) - s / self.radius

    def direction(self, s):
        a = self.angle(min(max(s, 0.0), self.radius * self.wrap))
        return math.sin(a), -math.cos(a)

    def place(self, i):
        """Returns x and y of the node i, or of a point between nodes."""
        s = (i - self.num_straight) * self.size
        on_circle = min(max(s, 0.0), self.radius * self.wrap)
        r = self.node_radius
        a, (tx, ty) = self.angle(on_circle), self.direction(s)
        return r * math.cos(a) + (s - on_circle) * tx, r * math.sin(a) + (s - on_circle) * ty

    def bollard(self, low, high):
        """Returns a tube of triangles along z."""
        vertices, triangles, n = [], [], self.num_sides
        for k in range(n):
            a = 2.0 * math.pi * k / n
            vertices += [[RADIUS * math.cos(a), RADIUS * math.sin(a), z] for z in (low, high)]
            i, j = 2 * k, 2 * ((k + 1) % n)
            triangles += [[i, j, j + 1], [i, j + 1, i + 1]]
        return {"name": "bollard", "kind": "obstacle", "geometry": {"vertices": vertices, "triangles": triangles}}


def draw(program, p, e, way, body, low, high):
    """Draws the body, which starts stretched by the slack side's pull, and returns the mean pull of the tight side over
    the last segment of its way: nodes that come off the bollard make it ripple."""
    strain = STRAIN / way.ratio
    vertices = body["geometry"]["vertices"]
    stretched = [[strain / (1.0 + strain) * x, strain / (1.0 + strain) * y, 0.0] for x, y, _ in vertices]
    body["geometry"]["vertices"] = [[x - dx, y - dy, z] for (x, y, z), (dx, dy, _) in zip(vertices, stretched)]
    first = [i for i, x in enumerate(body["columns"]) if x == 0]
    last = [i for i, x in enumerate(body["columns"]) if x == way.num_segments]
    drawn = 2.0 * STRAIN * RADIUS * way.wrap + 2.0 * way.size
    steps, share = 60, way.size / drawn
    tx, ty = way.direction(math.inf)
    all_nodes = list(range(len(vertices)))
    along = ramp((drawn * tx, drawn * ty, 0), steps)
    body["motions"] = [held(last, components=[True, True, False], displacement=along),
                       held(all_nodes, components=[False, False, True])]
    bx, by = way.direction(-math.inf)
    body["loads"] = [{"kind": "force", "region": {"nodes": first}, "value": [-way.pull * bx, -way.pull * by, 0.0]}]
    del body["columns"]
    probes = program.run(scene([body, way.bollard(low, high)], [reaction("end", body["name"], last)],
                               duration=float(steps), friction={"coefficient": p["friction"]},
                               start={"moved": [{"body": body["name"], "displacements": stretched}]}))
    pulls = [x * tx + y * ty for x, y in zip(probes["end.force.x"], probes["end.force.y"])]
    sampled = pulls[-round(share * steps):]
    pull = sum(sampled) / len(sampled)
    return {"tight_side_tension": (pull, e["tight_side_tension"]), "ratio": (pull / way.pull, e["ratio"])}


def rope(program, p, e, count):
    """A rope on a helix so flat that its turns do not touch each other."""
    way = Way(p, count)
    pitch = 3.0 * way.thickness
    points = [(*way.place(i), pitch * i * way.size / (2.0 * math.pi * way.radius)) for i in range(way.num_segments + 1)]
    ei = 1e-5 * way.pull * RADIUS ** 2
    stiff = {"stretching_stiffness": way.pull * way.ratio / STRAIN, "bending_stiffness": [ei, ei],
             "twisting_stiffness": ei}
    body = rod(line(points), way.thickness, {}, rod=stiff, columns=list(range(way.num_segments + 1)))
    return draw(program, p, e, way, body, -way.thickness, points[-1][2] + way.thickness)


def strip(program, p, e, cells, family):
    """A strip a fifth as wide as the bollard's radius."""
    way = Way(p, cells, longest=1.6)
    width, pitch = 0.2 * RADIUS, 0.3 * RADIUS if p["wrap_deg"] > 330.0 else 0.0
    n = way.num_segments
    columns = rectangle(float(n), 1.0, (n, 2), family)
    flat = [(x, z) for x, _, z in columns["vertices"]]
    vertices = [[*way.place(x), width * z + pitch * x * way.size / (2.0 * math.pi * way.radius)] for x, z in flat]
    modulus = way.pull * way.ratio / (STRAIN * width * way.thickness)
    body = shell({"vertices": vertices, "triangles": columns["triangles"]}, way.thickness,
                 {"youngs_modulus": modulus, "poisson_ratio": 0.0},
                 shell={"bending_stiffness": 1e-5 * way.pull * RADIUS ** 2 / width},
                 columns=[x for x, _ in flat])
    high = width + pitch * way.wrap / (2.0 * math.pi) + pitch
    return draw(program, p, e, way, body, -way.thickness - pitch, high + way.thickness)


RODS = {"capstan": (rope, 60)}
SHEETS = {"capstan": (strip, 40)}
