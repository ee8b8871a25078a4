"""Rods: the cases of thin_cases.json whose group begins with `rod`."""

import math

from thin.meshes import line, loop
from thin.scene import (end_couple, force, frequency, held, is_threshold, moved, position, ramp, reaction, rolled_up,
                        scene)


def rod(mesh, thickness, material, motions=(), loads=(), name="rod", **others):
    return {"name": name, "kind": "rod", "geometry": mesh, "thickness": thickness, "material": material,
            "motions": list(motions), "loads": list(loads), **others}


def along_x(length, count, start=0.0):
    return [(start + length * i / count, 0.0, 0.0) for i in range(count + 1)]


def clamped_length(length, count):
    """Returns points of a rod whose first segment is held: its length counts from that segment's middle."""
    size = length / (count - 0.5)
    return [(size * (i - 0.5), 0.0, 0.0) for i in range(count + 1)]


def end_angle(probes):
    """Returns the angle [deg] below the level of the segment from the node `last` to the node `tip`. The curvature at a
    free end is zero, so that the tip has this angle up to second order."""
    return math.degrees(math.atan2(probes["last.y"][-1] - probes["tip.y"][-1],
                                   probes["tip.x"][-1] - probes["last.x"][-1]))


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
    probes = program.run(scene([body], [position("tip", "rod", count), position("last", "rod", count - 1)]))
    x, y, _ = moved(probes, "tip")
    return {"tip_drop": (-y, e["tip_drop"]), "tip_inward": (-x, e["tip_inward"]),
            "tip_angle_deg": (end_angle(probes), e["tip_angle_deg"])}


def heavy_elastica(program, p, e, count):
    results = {}
    length, t, rho = p["length"], p["thickness"], p["density"]
    for load in p["load_numbers"]:
        modulus = 12.0 * rho * 9.81 * length ** 3 / (t * t * load)
        mesh = line(clamped_length(length, count))
        body = rod(mesh, t, {"youngs_modulus": modulus, "poisson_ratio": 0.0, "density": rho},
                   [held([0, 1], clamp=True)], rod={"section": [t, 0.1 * length], "up": [0, 1, 0]})
        probes = program.run(scene([body], [position("tip", "rod", count), position("last", "rod", count - 1)],
                                   gravity=9.81))
        x, y, _ = moved(probes, "tip")
        expected = e["x_y_aspect_angle"][f"load_{load:g}"]
        results[f"x {load:g}"] = (1.0 + x / length, expected[0])
        results[f"drop {load:g}"] = (-y / length, expected[1])
        results[f"angle {load:g}"] = (end_angle(probes), expected[3])
    return results


def roll_up(program, p, e, count):
    """A couple acts on the ends of the last segment: the length counts to its middle. All nodes stay in the plane,
    which forces of given directions would let the rod leave near a full circle."""
    length, t, width = p["length"], p["thickness"], p["width"]
    size = length / (count - 1)
    mesh = line([(size * (i - 0.5), 0.0, 0.0) for i in range(count + 1)])
    largest = max(p["moments_over_full"])
    full = 2.0 * math.pi * p["youngs_modulus"] * width * t ** 3 / 12.0 / length
    steps = round(40 * largest)
    body = rod(mesh, t, {"youngs_modulus": p["youngs_modulus"], "poisson_ratio": p["poisson_ratio"]},
               [held([0, 1], clamp=True), held(list(range(count + 1)), components=[False, False, True])],
               end_couple([count], [count - 1], size, largest * full, 2.0 * math.pi * largest, steps),
               rod={"section": [t, width], "up": [0, 1, 0]})
    tip = {"name": "tip", "kind": "position", "body": "rod", "region": {"nodes": [count - 1, count]}}
    # A rolled strip passes through itself.
    probes = program.run(scene([body], [tip], duration=float(steps), contact={"enabled": False}))
    return rolled_up(probes, p, e, steps)


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
    """A rope between two level supports, without stiffness of bending: let down as a V from where it is not stretched.
    One that is shorter than the span is pulled to its support."""
    span, size = p["span"], length / count
    half = length / 2
    width = min(span, length)
    depth = math.sqrt(max(half * half - width * width / 4, 0.0))
    points = []
    for i in range(count + 1):
        s = i * size
        u = s / half if s <= half else 2.0 - s / half
        points.append((width * s / length, -max(depth, 1e-6 * span) * u, 0.0))
    stiff = {"stretching_stiffness": ea, "bending_stiffness": [0.0, 0.0], "twisting_stiffness": 0.0}
    radius = 0.005 * span
    body = rod(line(points), 2 * radius, {"density": weight / 9.81 / (math.pi * radius ** 2)},
               [held([0]), held([count], displacement=ramp((span - width, 0, 0), 1.0))], rod=stiff)
    probes = program.run(scene([body], [position("mid", "rod", count // 2), reaction("end", "rod", [count])],
                               gravity=9.81))
    results = {"sag": (-probes["mid.y"][-1], e["sag"]),
               "horizontal_tension": (probes["end.force.x"][-1], e["horizontal_tension"])}
    if "end_tension" in e:
        results["end_tension"] = (math.hypot(probes["end.force.x"][-1], probes["end.force.y"][-1]), e["end_tension"])
    return results


def catenary(program, p, e, count):
    return hanging(program, p, e, count, p["rope_length"], p["EA"], p["weight_per_length"])


def elastic_catenary(program, p, e, count):
    return hanging(program, p, e, count, p["unstretched_length"], p["EA"], p["weight_per_length"])


def pure_twist(program, p, e, count):
    """A rod of uneven segments along no axis is pulled, and its end is turned in steps of a third of a turn and back.
    The pull keeps it straight: a clamped rod without tension buckles at 2.0024 turns."""
    places = [(i / count) ** 1.3 for i in range(count + 1)]
    # The twist acts between the middles of the end segments, and the pull stretches the segments between them.
    share = 0.5 * (places[-2] + places[-1] - places[0] - places[1])
    axis = (2 / 3, 1 / 3, 2 / 3)
    mesh = line([[p["length"] / share * u * c for c in axis] for u in places])
    strain = p["tension"] / (p["youngs_modulus"] * math.pi * p["radius"] ** 2)
    way = strain * p["length"] / share * (places[-2] - places[1])
    center = mesh["vertices"][-1]
    half = max(6, round(3 * p["turns"]))
    turned = [360.0 * p["turns"] * (1.0 - abs(k / half - 1.0)) for k in range(2 * half + 1)]
    poses = [{"position": [x + way * c for x, c in zip(center, axis)], "rotation": [angle * c for c in axis]}
             for angle in turned]
    body = rod(mesh, 2 * p["radius"], {"youngs_modulus": p["youngs_modulus"], "poisson_ratio": p["poisson_ratio"]},
               [held([0, 1], clamp=True), held([count - 1, count], clamp=True, center=center, poses=poses)])
    wanted = [position(f"n{i}", "rod", i) for i in range(2, count - 1)]
    probes = program.run(scene([body], [reaction("end", "rod", [count - 1, count], center)] + wanted,
                               duration=float(len(poses))))
    across = []
    for name in (f"n{i}" for i in range(2, count - 1)):
        for place in zip(*(probes[f"{name}.{c}"] for c in "xyz")):
            along = sum(x * c for x, c in zip(place, axis))
            across.append(math.dist(place, [along * c for c in axis]) / p["length"])
    # The first pose pulls alone. Reactions have no row for the start.
    energies = [step["energy"]["rod"] for step in program.steps]
    torque, pull = (sum(probes[f"end.{kind}.{c}"][half] * a for c, a in zip("xyz", axis)) for kind in ("torque", "force"))
    return {"torque": (torque, e["torque"]), "twist_energy": (energies[half] - energies[0], e["twist_energy"]),
            "tension": (pull, p["tension"]), "straight within 1e-9": (float(max(across) < 1e-9), 1.0),
            "energy returns": (float(abs(energies[-1] - energies[0]) < 1e-12 * energies[half]), 1.0)}


def natural_helix(program, p, e, count):
    """A straight rod with natural curvature and twist relaxes; its shape follows from the places of its nodes."""
    kappa, tau, turns = p["natural_curvature"], p["natural_twist"], int(p["turns"])
    per_turn = 2.0 * math.pi / math.hypot(kappa, tau)
    length, n = turns * per_turn, turns * 40
    mesh = line(along_x(length, n))
    body = rod(mesh, 0.1 * e["radius"], {"youngs_modulus": 1e9}, [held([0, 1], clamp=True)],
               rod={"natural_curvature": [kappa, 0.0], "natural_twist": math.degrees(tau), "up": [0, 1, 0]})
    wanted = [position(f"n{i}", "rod", i) for i in range(0, n + 1, 10)]
    # The step is a tenth of L^2 sqrt(rho A / EI), the time scale of bending. A rod that springs into shape may get
    # caught on itself.
    step = 0.1 * length ** 2 * math.sqrt(1000.0 / 1e9) / (0.025 * e["radius"])
    probes = program.run(scene([body], wanted, is_static=False, integrator="implicit_euler", step=step,
                               duration=120.0 * step, contact={"enabled": False}))
    places = [[probes[f"n{i}.{c}"][-1] for c in "xyz"] for i in range(0, n + 1, 10)]
    pitch = math.dist(places[4], places[8])
    # Two points half a turn apart are a diameter and half a pitch from each other.
    radius = 0.5 * math.sqrt(max(math.dist(places[4], places[6]) ** 2 - (pitch / 2) ** 2, 0.0))
    energies = [step["energy"]["rod"] for step in program.steps]
    return {"pitch": (pitch, e["pitch"]), "radius": (radius, e["radius"]),
            "length_per_turn": (math.hypot(pitch, 2.0 * math.pi * radius), e["length_per_turn"]),
            "energy over the first": (energies[-1] / energies[0], e["energy"])}


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


def vibrate(program, body, probe, column, estimate, periods=6, gravity=0.0, **others):
    step = 1.0 / (estimate * 200)
    probes = program.run(scene([body], [probe], is_static=False, integrator="implicit_newmark", step=step,
                               duration=periods / estimate, gravity=gravity, **others))
    return frequency(probes["time"], probes[column])


def rod_frequencies(program, p, e, count):
    """Vibrations of a cantilever, let go with the velocities of a mode; that of torsion with an even spin, whose
    elastic energy passes its mean four times a period, as all its modes do."""
    length, r, modulus, rho = p["length"], p["radius"], p["youngs_modulus"], p["density"]
    material = {"youngs_modulus": modulus, "poisson_ratio": p["poisson_ratio"], "density": rho}
    mesh = line(clamped_length(length, count))
    small = 1e-6
    first = rod(mesh, 2 * r, material, [held([0, 1], clamp=True)], velocity=["0", f"{small} * x * x", "0"])
    axial = rod(line(along_x(length, count)), 2 * r, material, [held([0])],
                velocity=[f"{small} * sin(1.5707963267948966 * x / {length!r})", "0", "0"])
    # Second mode of a clamped-free beam: cos(a) cosh(a) = -1.
    a, c = f"{4.694091133 / length!r} * x", 1.018467319
    second = dict(first, velocity=["0", f"{small} * (cosh({a}) - cos({a}) - {c} * (sinh({a}) - sin({a})))", "0"])
    spinning = {key: value for key, value in first.items() if key != "velocity"}
    spinning["angular_velocity"] = [1e-3, 0.0, 0.0]
    tip = position("tip", "rod", count)
    results = {"f1_bending": (vibrate(program, first, tip, "tip.y", e["f1_bending"]), e["f1_bending"]),
               "f2_bending": (vibrate(program, second, tip, "tip.y", e["f2_bending"]), e["f2_bending"]),
               "f1_axial": (vibrate(program, axial, tip, "tip.x", e["f1_axial"]), e["f1_axial"])}
    vibrate(program, spinning, tip, "tip.x", e["f1_torsion"])
    steps = program.steps
    twice = frequency([step["time"] for step in steps], [step["energy"]["rod"] for step in steps])
    results["f1_torsion"] = (0.5 * twice, e["f1_torsion"])
    return results


def hanging_chain(program, p, e, count):
    """The chain starts stretched by its own weight."""
    length, g, radius = p["length"], p["gravity"], 0.005 * p["length"]
    points = [(0.0, -length * i / count, 0.0) for i in range(count + 1)]
    weight = 1000.0 * math.pi * radius ** 2 * g
    ea = 1e5 * weight * length
    stiff = {"stretching_stiffness": ea, "bending_stiffness": [0.0, 0.0], "twisting_stiffness": 0.0}
    size, down, displacements = length / count, 0.0, [[0.0, 0.0, 0.0]]
    for i in range(count):
        # Half of the weight of a segment hangs on its lower node.
        down -= size * weight * size * (count - i - 0.5) / ea
        displacements.append([0.0, down, 0.0])
    tip = position("tip", "rod", count)
    start = {"moved": [{"body": "rod", "displacements": displacements}]}
    results = {}
    # The modes are J0(z sqrt(s / L)) at the height s above the end, with the zeros z of J0.
    for name, zero in (("f1", 2.404825558), ("f2", 5.520078110)):
        shape = "1"
        for k in range(16, 0, -1):
            shape = f"1 - {zero ** 2 / 4 / (k * k)!r} * (1 + y / {length!r}) * ({shape})"
        body = rod(line(points), 2 * radius, {"density": 1000.0}, [held([0])], rod=stiff,
                   velocity=[f"1e-5 * ({shape})", "0", "0"])
        results[name] = (vibrate(program, body, tip, "tip.x", e[name], 8, g, start=start), e[name])
    return results


def bead_on_string(program, p, e, count):
    """A particle linked to the middle node of a string that starts stretched; the string alone tells the wave speed."""
    length, pull, strain, size = p["length"], p["tension"], 1e-3, 0.005 * p["length"]
    n, rest = 2 * (count // 2), length / (1.0 + strain)
    stiff = {"stretching_stiffness": pull / strain, "bending_stiffness": [0.0, 0.0], "twisting_stiffness": 0.0}
    density = p["mass_per_length"] * length / rest / (math.pi / 4 * size ** 2)
    string = rod(line(along_x(rest, n)), size, {"density": density}, [held([0]), held([n])], rod=stiff,
                 velocity=["0", f"1e-5 * sin({math.pi!r} * x / {length!r})", "0"])
    stretched = [[strain * x, 0.0, 0.0] for x, _, _ in along_x(rest, n)]
    diameter = 4.0 * size
    bead = {"name": "bead", "kind": "particles", "geometry": {"vertices": [[length / 2, 0.0, 0.0]]},
            "thickness": diameter, "material": {"density": p["bead_mass"] / (math.pi / 6 * diameter ** 3)},
            "linear_velocity": [0, 1e-5, 0]}
    mid, start = position("mid", "rod", n // 2), {"moved": [{"body": "rod", "displacements": stretched}]}

    def vibration(bodies, estimate, **others):
        step = 1.0 / (200 * estimate)
        probes = program.run(scene(bodies, [mid], is_static=False, integrator="implicit_newmark", step=step,
                                   duration=6.0 / estimate, start=start, **others))
        return frequency(probes["time"], probes["mid.y"])

    f1 = vibration([string, bead], e["f1"],
                   attachments=[{"name": "knot", "body": "bead", "to": "rod", "pairs": [[0, n // 2]]}],
                   contact={"ignored_pairs": [{"bodies": ["bead", "rod"]}]})
    speed = 2.0 * length * vibration([string], e["wave_speed"] / (2.0 * length))
    return {"f1": (f1, e["f1"]), "wave_speed": (speed, e["wave_speed"])}


def euler_buckling(program, p, e, count):
    """The straight rod starts with a bow of 1e-3 L, and statics find the next minimum of its energy."""
    length = p["length"]
    results = {}
    supports = {"pinned_pinned": (False, False), "clamped_free": (True, None), "clamped_clamped": (True, True),
                "clamped_pinned": (True, False)}
    for name, (first, second) in supports.items():
        def make(factor, first=first, second=second, name=name):
            # A clamped length counts from the middle of the segment that is held.
            free = count - 0.5 * (first is True) - 0.5 * (second is True)
            size = length / free
            points = [(size * i, 0.0, 0.0) for i in range(count + 1)]
            motions = [held([0, 1], clamp=True) if first else held([0])]
            slide = [False, True, True]
            if second is True:
                motions.append(held([count - 1, count], clamp=True, components=slide))
            elif second is False:
                motions.append(held([count], components=slide))
            whole = size * count
            bow = [[0.0, 1e-3 * length * (x / whole) ** 2 * (1 if second is None else (1 - x / whole) ** 2 * 16), 0.0]
                   for x, _, _ in points]
            for i in (0, 1) if first else (0,):
                bow[i] = [0.0, 0.0, 0.0]
            for i in {True: (count - 1, count), False: (count,), None: ()}[second]:
                bow[i] = [0.0, 0.0, 0.0]
            body = rod(line(points), 2 * p["radius"], {"youngs_modulus": p["youngs_modulus"]}, motions,
                       [force([count], [-factor * e[name], 0, 0])])
            probe = count if second is None else count // 2
            built = scene([body], [position("at", "rod", probe)], start={"moved": [{"body": "rod",
                                                                                  "displacements": bow}]})
            return built, "at.y", 0.02 * length
        results[name] = (is_threshold(program, make, 0.02), 1.0)
    return results


def self_buckling(program, p, e, count):
    def make(factor):
        height = e["critical_height"] * factor
        size = height / (count - 0.5)
        points = [(0.0, size * i, 0.0) for i in range(count + 1)]
        bow = [[1e-3 * height * (i / count) ** 2 if i > 1 else 0.0, 0.0, 0.0] for i in range(count + 1)]
        body = rod(line(points), 2 * p["radius"], {"youngs_modulus": p["youngs_modulus"], "density": p["density"]},
                   [held([0, 1], clamp=True)])
        return (scene([body], [position("tip", "rod", count)], gravity=p["gravity"],
                      start={"moved": [{"body": "rod", "displacements": bow}]}), "tip.x", 0.05 * height)
    return {"critical_height": (is_threshold(program, make, 0.01), 1.0)}


def lateral_torsional(program, p, e, count):
    def make(factor):
        points = clamped_length(p["length"], count)
        bow = [[0.0, 0.0, 1e-3 * p["length"] * (i / count) ** 2 if i > 1 else 0.0] for i in range(count + 1)]
        body = rod(line(points), p["thickness"],
                   {"youngs_modulus": p["youngs_modulus"], "poisson_ratio": p["poisson_ratio"]},
                   [held([0, 1], clamp=True)], [force([count], [0, -factor * e["critical_tip_force"], 0])],
                   rod={"section": [p["depth"], p["thickness"]], "up": [0, 1, 0]})
        return (scene([body], [position("tip", "rod", count)],
                      start={"moved": [{"body": "rod", "displacements": bow}]}), "tip.z", 0.05 * p["length"])
    return {"critical_tip_force": (is_threshold(program, make, 0.02), 1.0)}


def twisted_rod(program, p, e, count):
    """The end of a rod that is a little wavy turns slowly; the moment at which a helix draws the end in is found."""
    length, ei, pull = p["length"], p["EI"], p["tension"]
    n = max(count, int(40 * length / e["pitch"]))
    gj, h, size = ei / 1.3, 0.01, 0.02 * e["pitch"]
    angle = 1.05 * e["critical_moment"] * length / gj
    steps = int(angle / 0.05)
    points = [(x, 1e-5 * length * math.sin(2 * math.pi * x / e["pitch"]) * (1 < i < n - 1), 0.0)
              for i, (x, _, _) in enumerate(along_x(length, n))]
    stiff = {"bending_stiffness": [ei, ei], "twisting_stiffness": gj, "stretching_stiffness": 1e4 * pull}
    # Such a mass that the helix moves at about 100 rad/s.
    density = ei * (2 * math.pi / e["pitch"]) ** 4 / 1e4 / (math.pi / 4 * size ** 2)
    body = rod(line(points), size, {"density": density},
               [held([0, 1], clamp=True),
                held([n - 1, n], clamp=True, components=[False, True, True], center=[0, 0, 0],
                     angular_velocity=[math.degrees(angle) / (steps * h), 0, 0])],
               [force([n], [pull, 0, 0])], rod=stiff)
    wanted = [position("end", "rod", n)] + [position(f"n{i}", "rod", i) for i in range(n // 4, 3 * n // 4)]
    probes = program.run(scene([body], wanted, is_static=False, integrator="implicit_euler",
                               step=h, duration=steps * h), may_fail=True)
    drawn_in = [i for i, x in enumerate(probes["end.x"]) if x < length * (1.0 - 5e-4)]
    if not drawn_in:
        return {"critical_moment": (math.inf, e["critical_moment"])}
    # The helix as it begins: its nodes go round the axis evenly along it.
    at = drawn_in[0]
    around = [math.atan2(probes[f"n{i}.z"][at], probes[f"n{i}.y"][at]) for i in range(n // 4, 3 * n // 4)]
    turned = abs(sum(math.remainder(b - a, 2.0 * math.pi) for a, b in zip(around, around[1:])))
    way = probes[f"n{3 * n // 4 - 1}.x"][at] - probes[f"n{n // 4}.x"][at]
    return {"critical_moment": (gj * angle * at / steps / length, e["critical_moment"]),
            "pitch": (2.0 * math.pi * way / turned, e["pitch"])}


def michell_ring(program, p, e, count):
    """A ring of a straight rod whose twist at rest is that of the cut; it is let go with a small bend out of plane."""
    r, ei, gj = p["ring_radius"], p["EI"], p["GJ"]
    mesh = loop([(r * math.cos(2 * math.pi * i / count), 0.0, r * math.sin(2 * math.pi * i / count))
                 for i in range(count)])
    bent = [[0.0, 1e-3 * r * math.cos(4 * math.pi * i / count), 0.0] for i in range(count)]

    def make(factor):
        twist = math.degrees(factor * e["critical_twist_rad"]) / (2 * math.pi * r)
        stiff = {"bending_stiffness": [ei, ei], "twisting_stiffness": gj, "stretching_stiffness": 1e5 * ei / r ** 2,
                 "straight_at_rest": True, "natural_twist": twist, "up": [0, 1, 0]}
        # Its bending vibrates at about 3.6 rad/s.
        body = rod(mesh, 0.01 * r, {"density": 1000.0 * ei / r ** 6}, rod=stiff)
        probes = [position("a", "rod", 0), position("b", "rod", count // 4)]
        return (scene([body], probes, is_static=False, integrator="bdf2", step=0.05, duration=25.0,
                      start={"moved": [{"body": "rod", "displacements": bent}]}), "a.y", 0.02 * r)
    return {"critical_twist": (is_threshold(program, make, 0.02), 1.0)}


CASES = {
    "rod-cantilever-small": (cantilever_small, 50), "rod-elastica-tip": (elastica_tip, 50),
    "strip-heavy-elastica": (heavy_elastica, 60), "roll-up": (roll_up, 64), "euler-postbuckling": (postbuckling, 60),
    "catenary": (catenary, 60), "elastic-catenary": (elastic_catenary, 60), "pure-twist": (pure_twist, 12),
    "natural-helix": (natural_helix, 40), "ring": (ring, 60), "rod-frequencies": (rod_frequencies, 50),
    "hanging-chain": (hanging_chain, 60), "bead-on-string": (bead_on_string, 60),
    "euler-buckling": (euler_buckling, 60), "self-buckling": (self_buckling, 60),
    "lateral-torsional": (lateral_torsional, 60), "twisted-rod-under-tension": (twisted_rod, 100),
    "michell-ring": (michell_ring, 120),
}
