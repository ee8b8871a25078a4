"""Rods that turn about themselves: the cases spinning-rod, frame-path and localised-helix of thin_cases.json."""

import math

from thin.meshes import line
from thin.rods import along_x, rod
from thin.scene import held, position, reaction, scene


def spinning_rod(program, p, e, count):
    """A free rod that spins about its axis; without twist its angular momentum is twice its energy over the spin."""
    body = rod(line(along_x(p["length"], count)), 2 * p["radius"], {"density": p["density"], "youngs_modulus": 1e7},
               angular_velocity=[math.degrees(p["spin"]), 0, 0])
    step = 0.2 / abs(p["spin"])
    probes = program.run(scene([body], [position("a", "rod", 0), position("b", "rod", count)], is_static=False,
                               integrator="implicit_newmark", step=step, duration=p["steps"] * step))
    energies = [step["energy"] for step in program.steps]
    way = max(abs(probes[f"{end}.{c}"][i] - probes[f"{end}.{c}"][0])
              for end in "ab" for c in "xyz" for i in range(len(probes["a.x"])))
    return {"angular_momentum": (2.0 * energies[-1]["kinetic"] / p["spin"], e["angular_momentum"]),
            "kinetic_energy": (energies[-1]["kinetic"], e["kinetic_energy"]),
            "energy_lost": (1.0 - energies[-1]["kinetic"] / (energies[0]["kinetic"] or math.inf), 0.0),
            "twist_energy": (max(energy["rod"] for energy in energies) / e["kinetic_energy"], 0.0),
            "way": (way / p["length"], 0.0)}


def split_bits(program, built, num_steps):
    """Returns the probes and steps of a run, and 1 if it has the same bits when it is stopped three times."""
    probes = program.run(built)
    steps = program.steps
    program.run(built, stops=(1, num_steps // 3, num_steps - 1))
    return probes, steps, float([step["state_hash"] for step in steps] ==
                                [step["state_hash"] for step in program.steps])


def frame_path(program, p, e, _count):
    """A straight rod whose end turns twice and back, and a bent one whose end goes around a loop in space."""
    length, n, half = p["length"], p["segments"], p["steps"] // 2
    # The rod does not buckle at two turns: the twist at which it would is 9 EI / GJ.
    ei, gj, turns, results = 1.0, 0.5, 2.0, {}
    stiff = {"bending_stiffness": [ei, ei], "twisting_stiffness": gj, "stretching_stiffness": 1e4 * ei / length ** 2}

    def walk(name, points, place, angle):
        """Moves the clamp of the end through poses that depend on the share of the way."""
        middle = [0.5 * (a + b) for a, b in zip(points[-1], points[-2])]
        shares = [k / half for k in range(1, half + 1)]
        poses = [{"position": [a + b for a, b in zip(middle, place(u))], "rotation": [angle(u), 0, 0]} for u in shares]
        body = rod(line(points), 0.01 * length, {},
                   [held([0, 1], clamp=True), held([n - 1, n], clamp=True, center=middle, poses=poses)], rod=stiff)
        end = reaction("end", "rod", [n - 1, n], middle)
        probes, steps, is_same = split_bits(program, scene([body], [end], duration=float(half)), half)
        torques = [max(abs(probes[f"end.torque.{c}"][i]) for c in "xyz") for i in range(half)]
        energies = [step["energy"]["rod"] for step in steps]
        results[f"twist {name}"] = (torques[-1] * length / gj, 0.0)
        results[f"energy {name}"] = (energies[-1] / max(energies), 0.0)
        results[f"bits {name}"] = (is_same, 1.0 if e["bits"] == "equal" else 0.0)
        return torques

    torques = walk("turned", along_x(length, n), lambda u: (0.0, 0.0, 0.0),
                   lambda u: 360.0 * turns * (1.0 - abs(2.0 * u - 1.0)))
    # The rod is twisted between the middles of its end segments.
    theory = 2.0 * math.pi * turns * gj / (length * (1.0 - 1.0 / n))
    results["torque over theory"] = (torques[half // 2 - 1] / theory, 1.0)
    r, way = length / math.pi, 0.15 * length
    arc = [(r * math.sin(math.pi * i / n), r * (1.0 - math.cos(math.pi * i / n)), 0.0) for i in range(n + 1)]

    def loop(u):
        sideways = way * math.sin(2.0 * math.pi * u)
        return sideways, way * (math.cos(2.0 * math.pi * u) - 1.0), sideways

    walk("carried", arc, loop, lambda u: 0.0)
    return results


def localised_helix(program, p, e, count):
    """A slightly bent rod whose ends turn against each other and come together, slowly and with damping, until it
    rests. Lengths count from the middles of its end segments, which are clamped."""
    length, ei, slack = p["length"], p["EI"], p["slack_over_L"] * p["length"]
    size, part = length / (count - 1), length / 20
    bow = [1e-5 * length * math.sin(math.pi * (i - 1) / (count - 2)) ** 2 for i in range(count + 1)]
    bow[0] = bow[count] = 0.0
    points = [(size * (i - 0.5), bow[i], 0.0) for i in range(count + 1)]
    stiff = {"bending_stiffness": [ei, ei], "twisting_stiffness": p["GJ"], "straight_at_rest": True,
             "stretching_stiffness": 3e5 * ei / part ** 2}
    # Six steps a turn, and some to come to rest. A piece of a twentieth of the length bends within about a second.
    moving = max(60, round(6 * abs(p["end_turns"])))
    steps, step, thickness = moving + 60, 1.5, 2e-3 * length
    density = ei / part ** 4 / (math.pi / 4 * thickness ** 2)
    motions = []
    for side, numbers, x in ((1, [0, 1], 0.0), (-1, [count - 1, count], length)):
        shares = [min(1.0, k / moving) for k in range(1, steps + 1)]
        poses = [{"position": [x + side * 0.5 * slack * u, 0, 0],
                  "rotation": [-side * 180.0 * p["end_turns"] * u, 0, 0]} for u in shares]
        motions.append(held(numbers, clamp=True, center=[x, 0, 0], poses=poses))
    body = rod(line(points), thickness, {"density": density}, motions, rod=stiff)
    wanted = [position(f"n{i}", "rod", i) for i in range(count + 1)]
    end = reaction("end", "rod", [count - 1, count], [length - 0.5 * slack, 0, 0])
    probes = program.run(scene([body], [end] + wanted, is_static=False, integrator="implicit_euler", step=step,
                               duration=steps * step))
    places = [[probes[f"n{i}.{c}"][-1] for c in "xyz"] for i in range(count + 1)]
    tilt = max(math.degrees(math.acos((b[0] - a[0]) / math.dist(a, b))) for a, b in zip(places, places[1:]))
    return {"moment": (abs(probes["end.torque.x"][-1]), e["moment"]),
            "tension": (probes["end.force.x"][-1], e["tension"]), "largest_tilt_deg": (tilt, e["largest_tilt_deg"])}


CASES = {"spinning-rod": (spinning_rod, 10), "frame-path": (frame_path, 1), "localised-helix": (localised_helix, 400)}
