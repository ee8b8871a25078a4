"""Mechanisms: linkages, chains and screws."""

import math

from .motion import scene_of, stiff
from .problem import G, Problem, last, position_probe, root


def bar(name, start, end, thick=0.01, **more):
    """Returns a bar in the plane between two points."""
    length = math.dist(start, end)
    return stiff(name, {"kind": "rectangle", "size": [length, thick], "resolution": [1]},
                 transform={"rotation": math.degrees(math.atan2(end[1] - start[1], end[0] - start[0])),
                            "translation": [(a + b) / 2 for a, b in zip(start, end)]}, collision_group=1, **more)


def hinge(name, first, second, point, **more):
    return {"name": name, "bodies": [first, second], "point": [*point, 0]} | more


def slider_crank():
    crank, rod, turn = 0.1, 0.3, 60.0
    a = math.radians(turn)
    bodies = [bar("crank", (0, 0), (crank, 0)), bar("rod", (crank, 0), (crank + rod, 0)),
              bar("piston", (crank + rod - 0.02, 0), (crank + rod + 0.02, 0), 0.02)]
    joints = [hinge("O", "crank", "", (0, 0), drive=f"{turn} * t"), hinge("A", "rod", "crank", (crank, 0)),
              hinge("B", "piston", "rod", (crank + rod, 0)),
              {"name": "C", "kind": "slider", "bodies": ["piston", ""], "point": [crank + rod, 0, 0],
               "axis": [1, 0, 0]}]
    scene = scene_of(bodies, 0.01, 1.0, 2, False, [position_probe("piston", "piston")], joints=joints)
    return Problem("slider_crank", "slider-crank, crank turned by 60 degrees, step 10 ms", "kinematics",
                   "position of the piston, m",
                   crank * math.cos(a) + math.sqrt(rod ** 2 - (crank * math.sin(a)) ** 2), scene, last("piston.x [m]"))


def cardan():
    """Shafts along x and in the x-y plane under an angle, joined by a cross."""
    bend, turn = 30.0, 45.0
    b = math.radians(bend)
    out = (math.cos(b), math.sin(b), 0.0)
    shaft = {"kind": "box", "size": [0.2, 0.02, 0.02], "resolution": [1]}
    bodies = [stiff("first", shaft, transform={"translation": [-0.12, 0, 0]}, collision_group=1),
              stiff("cross", {"kind": "box", "size": [0.02, 0.02, 0.02], "resolution": [1]}, collision_group=1),
              stiff("second", shaft, collision_group=1,
                    transform={"rotation": [0, 0, bend], "translation": [0.12 * x for x in out]})]
    joints = [{"name": "in", "bodies": ["first", ""], "point": [-0.2, 0, 0], "axis": [1, 0, 0], "drive": f"{turn} * t"},
              {"name": "pin1", "bodies": ["cross", "first"], "point": [0, 0, 0], "axis": [0, 1, 0]},
              {"name": "pin2", "bodies": ["second", "cross"], "point": [0, 0, 0], "axis": [0, 0, 1]},
              {"name": "out", "bodies": ["second", ""], "point": [0.2 * x for x in out], "axis": list(out)}]
    scene = scene_of(bodies, 0.01, 1.0, gravity=False, probes=[{"name": "out", "kind": "joint", "joint": "out"}],
                     joints=joints)
    # The pin of the first shaft starts in the plane of the bend: tan(out) = tan(in) / cos(bend).
    right = math.degrees(math.atan(math.tan(math.radians(turn)) / math.cos(b)))
    return Problem("cardan", "universal joint bent by 30 degrees, input turned by 45 degrees", "Cardano; Hooke",
                   "turn of the output, degrees", right, scene, last("out.angle [deg]"))


def toggle():
    """Two bars of a toggle press: the force that holds the ram against a load on the knee."""
    length, angle, load = 0.2, 10.0, 100.0
    a = math.radians(angle)
    knee, ram = (-length * math.sin(a), length * math.cos(a)), (0.0, 2 * length * math.cos(a))
    bodies = [bar("lower", (0, 0), knee), bar("upper", knee, ram),
              bar("pin", (knee[0] - 0.005, knee[1]), (knee[0] + 0.005, knee[1]),
                  loads=[{"kind": "force", "value": [load, 0, 0]}]),
              bar("ram", (ram[0] - 0.01, ram[1]), (ram[0] + 0.01, ram[1]), 0.02)]
    joints = [hinge("O", "lower", "", (0, 0)), hinge("A", "pin", "lower", knee), hinge("B", "upper", "pin", knee),
              hinge("C", "ram", "upper", ram),
              {"name": "guide", "kind": "slider", "bodies": ["ram", ""], "point": [*ram, 0], "axis": [0, 1, 0],
               "drive": "0"}]
    scene = scene_of(bodies, 0.01, 0.2, 2, False, [{"name": "ram", "kind": "joint", "joint": "guide"}], joints=joints)
    return Problem("toggle", "toggle press at 10 degrees", "statics", "force of the ram, N", load / (2 * math.tan(a)),
                   scene,
                   lambda result: abs(result.probe("ram.effort [N]")[-1]))


def screw_jack():
    """The thread unrolled: an inclined plane is driven under a load that is guided upwards."""
    lead, mu, load, speed = 5.0, 0.15, 1000.0, 0.02
    rise = math.tan(math.radians(lead))
    gap = 1e-4

    def prism(name, half, low, high, **more):
        """Returns a body between x = -half and half; `low` and `high` are the heights of its corners."""
        corners = [[-half, low[0], 0], [half, low[1], 0], [half, high[1], 0], [-half, high[0], 0]]
        return {"name": name, "kind": "rigid", "geometry": {"vertices": corners,
                                                            "triangles": [[0, 1, 2], [0, 2, 3]]}} | more
    bodies = [prism("thread", 0.15, (-0.1, -0.1), (0.15 * rise, -0.15 * rise)),
              prism("nut", 0.05, (0.05 * rise + gap, -0.05 * rise + gap), (0.1, 0.1),
                    loads=[{"kind": "force", "value": [0, -load, 0]}])]
    joints = [{"name": "turn", "kind": "slider", "bodies": ["thread", ""], "point": [0, -0.05, 0], "axis": [1, 0, 0],
               "drive": f"{speed} * t"},
              {"name": "guide", "kind": "slider", "bodies": ["nut", ""], "point": [0, 0.05, 0], "axis": [0, 1, 0]}]
    scene = scene_of(bodies, 0.01, 1.0, 2, False, [{"name": "turn", "kind": "joint", "joint": "turn"}], joints=joints,
                     friction={"coefficient": mu})
    return Problem("screw_jack", "screw jack as its thread unrolled, lead of 5 degrees, friction 0.15, step 10 ms",
                   "Shigley, Mechanical Engineering Design, power screws", "push over load",
                   math.tan(math.radians(lead) + math.atan(mu)), scene,
                   lambda result: abs(result.probe("turn.effort [N]")[-1]) / load)


def chain_sag(count, link, span):
    """Returns how far the middle of the link next to a chain's middle sags: the tangents of slopes grow evenly."""
    def slopes(pull):
        return [math.atan((i - (count - 1) / 2) / pull) for i in range(count)]
    pull = root(lambda h: math.fsum(link * math.cos(s) for s in slopes(h)) - span, 1e-3, 1e3)
    half = slopes(pull)[:count // 2]
    return -math.fsum(link * math.sin(s) for s in half) + link / 2 * math.sin(half[-1])


def catenary():
    """Links on hinges between two supports; they start as two straight halves."""
    count, link, span = 20, 0.1, 1.6
    half = count // 2
    drop = math.sqrt((half * link) ** 2 - (span / 2) ** 2)
    points = [(span * i / count, -drop * min(i, count - i) / half) for i in range(count + 1)]
    bodies = [bar(f"link{i}", points[i], points[i + 1], 0.005) for i in range(count)]
    joints = [hinge("first", "link0", "", points[0]), hinge("end", f"link{count - 1}", "", points[-1])]
    joints += [hinge(f"j{i}", f"link{i}", f"link{i - 1}", points[i]) for i in range(1, count)]
    scene = scene_of(bodies, 1, 1, 2, True, [position_probe("middle", f"link{half - 1}")], joints=joints)
    scene["time"]["integrator"] = "quasi_static"
    return Problem("catenary", "chain of 20 links on hinges, in equilibrium", "Leibniz, Huygens, Bernoulli 1691",
                   "sag of the link in the middle, m", chain_sag(count, link, span), scene, last("middle.y [m]", -1.0))


def problems():
    return [slider_crank(), cardan(), toggle(), screw_jack(), catenary()]
