"""Rods: the cases of thin_cases.json whose group begins with `rod`."""

import math

from thin.meshes import line, loop
from thin.scene import force, frequency, held, moved, position, ramp, reaction, scene


def rod(mesh, thickness, material, motions=(), loads=(), name="rod", **others):
    return {"name": name, "kind": "rod", "geometry": mesh, "thickness": thickness, "material": material,
            "motions": list(motions), "loads": list(loads), **others}


def along_x(length, count, start=0.0):
    return [(start + length * i / count, 0.0, 0.0) for i in range(count + 1)]


def clamped_length(length, count):
    """Returns points of a rod whose first segment is held: its length counts from that segment's middle."""
    size = length / (count - 0.5)
    return [(size * (i - 0.5), 0.0, 0.0) for i in range(count + 1)]


def cantilever_small(program, p, e, count):
    mesh = line(clamped_length(p["length"], count))
    body = rod(mesh, 2 * p["radius"], {"youngs_modulus": p["youngs_modulus"], "poisson_ratio": p["poisson_ratio"]},
               [held([0, 1], clamp=True)], [force([count], [0, -p["tip_force"], 0])])
    probes = program.run(scene([body], [position("tip", "rod", count)]))
    return {"tip_deflection": (-moved(probes, "tip")[1], e["tip_deflection"])}


def elastica_tip(program, p, e, count):
    mesh = line(clamped_length(p["length"], count))
    body = rod(mesh, 2 * p["radius"], {"youngs_modulus": p["youngs_modulus"]}, [held([0, 1], clamp=True)],
               [force([count], [0, -p["tip_force"], 0])])
    probes = program.run(scene([body], [position("tip", "rod", count)]))
    x, y, _ = moved(probes, "tip")
    return {"tip_drop": (-y, e["tip_drop"]), "tip_inward": (-x, e["tip_inward"])}


def heavy_elastica(program, p, e, count):
    results = {}
    length, t, rho = p["length"], p["thickness"], p["density"]
    for load in p["load_numbers"]:
        modulus = 12.0 * rho * 9.81 * length ** 3 / (t * t * load)
        mesh = line(clamped_length(length, count))
        body = rod(mesh, t, {"youngs_modulus": modulus, "poisson_ratio": 0.0, "density": rho},
                   [held([0, 1], clamp=True)], rod={"section": [t, 0.1 * length], "up": [0, 1, 0]})
        probes = program.run(scene([body], [position("tip", "rod", count)], gravity=9.81))
        x, y, _ = moved(probes, "tip")
        expected = e["x_y_aspect_angle"][f"load_{load:g}"]
        results[f"x {load:g}"] = (1.0 + x / length, expected[0])
        results[f"drop {load:g}"] = (-y / length, expected[1])
    return results


def postbuckling(program, p, e, count):
    """A pinned rod with a small bow whose ends approach; the bow is that of the first mode."""
    length, ei = p["length"], p["EI"]
    bow = 1e-3 * length
    points = [(x, bow * math.sin(math.pi * x / length), 0.0) for x, _, _ in along_x(length, count)]
    way = e["ends_approach_over_L"] * length
    stiff = {"bending_stiffness": [ei, ei], "twisting_stiffness": ei, "stretching_stiffness": 1e6 * ei / length ** 2}
    body = rod(line(points), 0.01 * length, {},
               [held([0]), held([count], displacement=ramp((-way, 0, 0), 10.0))],
               rod=dict(stiff, straight_at_rest=True))
    probes = program.run(scene([body], [position("mid", "rod", count // 2), reaction("end", "rod", [count])],
                               duration=10.0))
    return {"force": (-probes["end.force.x"][-1], e["force"]),
            "mid_deflection": (probes["mid.y"][-1] / length, e["mid_deflection_over_L"])}


def hanging(program, p, e, count, length, ea, weight):
    """A rope between two level supports, without stiffness of bending: let down as a V from where it is not stretched."""
    span, size = p["span"], length / count
    half = length / 2
    depth = math.sqrt(max(half * half - span * span / 4, 0.0))
    points = []
    for i in range(count + 1):
        s = i * size
        u = s / half if s <= half else 2.0 - s / half
        points.append((span * s / length, -depth * u - 1e-3 * span * u * (2 - u), 0.0))
    stiff = {"stretching_stiffness": ea, "bending_stiffness": [0.0, 0.0], "twisting_stiffness": 0.0}
    radius = 0.005 * span
    body = rod(line(points), 2 * radius, {"density": weight / 9.81 / (math.pi * radius ** 2)},
               [held([0]), held([count])], rod=stiff)
    probes = program.run(scene([body], [position("mid", "rod", count // 2), reaction("end", "rod", [count])],
                               gravity=9.81))
    return {"sag": (-probes["mid.y"][-1], e["sag"]),
            "horizontal_tension": (probes["end.force.x"][-1], e["horizontal_tension"])}


def catenary(program, p, e, count):
    return hanging(program, p, e, count, p["rope_length"], p["EA"], p["weight_per_length"])


def elastic_catenary(program, p, e, count):
    return hanging(program, p, e, count, p["unstretched_length"], p["EA"], p["weight_per_length"])


def pure_twist(program, p, e, count):
    """Uneven segments; the end is turned by its turns in steps of a third of a turn."""
    places = [(i / count) ** 1.3 for i in range(count + 1)]
    mesh = line([(p["length"] * u, 0.0, 0.0) for u in places])
    # The twist acts between the middles of the end segments.
    middle = [0.5 * (places[0] + places[1]), 0.5 * (places[-2] + places[-1])]
    share = middle[1] - middle[0]
    steps = max(6, round(3 * p["turns"]))
    speed = 360.0 * p["turns"] / steps
    body = rod(mesh, 2 * p["radius"], {"youngs_modulus": p["youngs_modulus"], "poisson_ratio": p["poisson_ratio"]},
               [held([0, 1], clamp=True),
                held([count - 1, count], clamp=True, angular_velocity=[speed, 0, 0], center=[0, 0, 0])])
    probes = program.run(scene([body], [position("mid", "rod", count // 2),
                                        reaction("end", "rod", [count - 1, count], [0, 0, 0])], duration=float(steps)))
    sideways = max(abs(v) for c in "yz" for v in probes[f"mid.{c}"])
    return {"sideways": (1.0 + sideways / p["length"], 1.0), "share": (share, share)}


def natural_helix(program, p, e, count):
    """A straight rod with natural curvature and twist relaxes; its shape follows from the places of its nodes."""
    kappa, tau, turns = p["natural_curvature"], p["natural_twist"], int(p["turns"])
    per_turn = 2.0 * math.pi / math.hypot(kappa, tau)
    length, n = turns * per_turn, turns * 40
    mesh = line(along_x(length, n))
    body = rod(mesh, 0.01 * e["radius"], {"youngs_modulus": 1e9}, [held([0, 1], clamp=True)],
               rod={"natural_curvature": [kappa, 0.0], "natural_twist": math.degrees(tau), "up": [0, 1, 0]})
    wanted = [position(f"n{i}", "rod", i) for i in range(0, n + 1, 10)]
    probes = program.run(scene([body], wanted, static=False, integrator="implicit_euler", step=10.0, duration=300.0))
    places = [[probes[f"n{i}.{c}"][-1] for c in "xyz"] for i in range(0, n + 1, 10)]
    pitch = math.dist(places[4], places[8])
    # Two points half a turn apart are a diameter and half a pitch from each other.
    radius = 0.5 * math.sqrt(max(math.dist(places[4], places[6]) ** 2 - (pitch / 2) ** 2, 0.0))
    return {"pitch": (pitch, e["pitch"]), "radius": (radius, e["radius"])}


def ring(program, p, e, count):
    """A quarter cannot be cut out of a rod: the whole ring, pulled by two opposite forces."""
    n = 4 * (count // 2)
    r = p["radius"]
    mesh = loop([(r * math.cos(2 * math.pi * i / n), r * math.sin(2 * math.pi * i / n), 0.0) for i in range(n)])
    ei = p["EI"]
    stiff = {"bending_stiffness": [ei, ei], "twisting_stiffness": ei, "stretching_stiffness": 1e6 * ei / r ** 2}
    top, bottom, right, left = n // 4, 3 * n // 4, 0, n // 2
    body = rod(mesh, 0.02 * r, {},
               [held([top, bottom], components=[True, False, True]), held([right, left], components=[False, True, True])],
               [force([top], [0, -p["force"], 0]), force([bottom], [0, p["force"], 0])], rod=stiff)
    probes = program.run(scene([body], [position(name, "rod", at) for name, at in
                                        (("top", top), ("bottom", bottom), ("right", right), ("left", left))]))
    shortening = moved(probes, "bottom")[1] - moved(probes, "top")[1]
    widening = moved(probes, "right")[0] - moved(probes, "left")[0]
    return {"shortening": (shortening, e["shortening"]), "widening": (widening, e["widening"])}


def vibrate(program, body, probe, column, estimate, periods=6, gravity=0.0):
    step = 1.0 / (estimate * 200)
    probes = program.run(scene([body], [probe], static=False, integrator="implicit_newmark", step=step,
                               duration=periods / estimate, gravity=gravity))
    return frequency(probes["time"], probes[column])


def rod_frequencies(program, p, e, count):
    """Axial and first bending vibration of a cantilever, let go with the velocities of the mode."""
    length, r, modulus, rho = p["length"], p["radius"], p["youngs_modulus"], p["density"]
    material = {"youngs_modulus": modulus, "poisson_ratio": p["poisson_ratio"], "density": rho}
    mesh = line(clamped_length(length, count))
    small = 1e-6
    first = rod(mesh, 2 * r, material, [held([0, 1], clamp=True)], velocity=["0", f"{small} * x * x", "0"])
    axial = rod(line(along_x(length, count)), 2 * r, material, [held([0])],
                velocity=[f"{small} * sin(1.5707963267948966 * x / {length!r})", "0", "0"])
    tip = position("tip", "rod", count)
    return {"f1_bending": (vibrate(program, first, tip, "tip.y", e["f1_bending"]), e["f1_bending"]),
            "f1_axial": (vibrate(program, axial, tip, "tip.x", e["f1_axial"]), e["f1_axial"])}


def hanging_chain(program, p, e, count):
    length = p["length"]
    points = [(0.0, -length * i / count, 0.0) for i in range(count + 1)]
    stiff = {"stretching_stiffness": 1e5, "bending_stiffness": [0.0, 0.0], "twisting_stiffness": 0.0}
    # The first mode is J0(2.4048 sqrt(s / L)) with s from the free end; nearly 1 - 1.2 (1 - s / L).
    body = rod(line(points), 0.01 * length, {"density": 1000.0}, [held([0])], rod=stiff,
               velocity=[f"1e-5 * (0 - y / {length!r}) ^ 1.5", "0", "0"])
    tip = position("tip", "rod", count)
    return {"f1": (vibrate(program, body, tip, "tip.x", e["f1"], 8, p["gravity"]), e["f1"])}


CASES = {
    "rod-cantilever-small": (cantilever_small, 50), "rod-elastica-tip": (elastica_tip, 50),
    "strip-heavy-elastica": (heavy_elastica, 60), "euler-postbuckling": (postbuckling, 60),
    "catenary": (catenary, 60), "elastic-catenary": (elastic_catenary, 60), "pure-twist": (pure_twist, 12),
    "natural-helix": (natural_helix, 40), "ring": (ring, 60), "rod-frequencies": (rod_frequencies, 50),
    "hanging-chain": (hanging_chain, 60),
}
