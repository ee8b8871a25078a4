"""Drape of a round cloth over a smaller disc: the case cusick-drape of thin_cases.json."""

import math

from thin.meshes import disk, nodes
from thin.scene import held, position, scene
from thin.shells import shell

NUM_ANGLES = 720


def shadow(places, triangles):
    """Returns the area below the cloth, seen from above, from the farthest point of its edges in every direction."""
    step = 2.0 * math.pi / NUM_ANGLES
    farthest = [0.0] * NUM_ANGLES
    for a, b in {tuple(sorted((t[k], t[k - 1]))) for t in triangles for k in range(3)}:
        (ax, _, az), (bx, _, bz) = places[a], places[b]
        start, turn = math.atan2(az, ax), math.atan2(ax * bz - az * bx, ax * bx + az * bz)
        first, last = sorted((start, start + turn))
        for k in range(math.ceil(first / step), math.floor(last / step) + 1):
            # The edge meets the ray of this angle where it has no part across the ray.
            c, s = math.cos(k * step), math.sin(k * step)
            across_a, across_b = ax * s - az * c, bx * s - bz * c
            share = across_a / (across_a - across_b) if across_a != across_b else 0.0
            x, z = ax + share * (bx - ax), az + share * (bz - az)
            farthest[k % NUM_ANGLES] = max(farthest[k % NUM_ANGLES], x * c + z * s)
    return 0.5 * step * sum(r * r for r in farthest)


def drape(program, p, weight, bending_length, rings, family):
    """Returns the drape coefficient [%] of a cloth whose middle is held between two discs and whose border falls."""
    radius, support = p["specimen_radius"], p["support_radius"]
    mesh = disk(radius, rings, family)
    # One ring lies on the border of the support.
    ring = round(rings * support / radius)
    for n in range(1 + 3 * ring * (ring - 1), 1 + 3 * ring * (ring + 1)):
        x, _, z = mesh["vertices"][n]
        mesh["vertices"][n] = [c * support / math.hypot(x, z) for c in (x, 0.0, z)]
    inside = nodes(mesh, lambda x, y, z: math.hypot(x, z) < support * (1 + 1e-6))
    thickness, gravity = 5e-4, 9.81
    # A small wave decides how a regular mesh folds.
    wave = ["0", "0.05 * sin(60 * x + 25 * z)", "0"]
    body = shell(mesh, thickness, {"youngs_modulus": 500.0 / thickness, "poisson_ratio": 0.3,
                                   "density": weight / thickness},
                 [held(inside, clamp=True)], velocity=wave,
                 shell={"bending_stiffness": weight * gravity * bending_length ** 3})
    wanted = [position(f"n{i}", "shell", i) for i in range(len(mesh["vertices"]))]
    probes = program.run(scene([body], wanted, is_static=False, integrator="implicit_euler", step=0.02, duration=1.2,
                               gravity=gravity))
    places = [[probes[f"n{i}.{c}"][-1] for c in "xyz"] for i in range(len(mesh["vertices"]))]
    disc = math.pi * support ** 2
    return 100.0 * (shadow(places, mesh["triangles"]) - disc) / (math.pi * radius ** 2 - disc)


def cusick_drape(program, p, e, rings, family):
    """Coefficients beside the least, the middle and the largest of the published simulations, for the mean weight of
    the fabrics. The published sheets bend by hinges, and their shear stiffness is not known
    (docs/decisions/061-thin-bodies.md)."""
    published = e["ppf_simulated_c_cm_and_DC"]
    weights = p["areal_density_C_IPC_iso_list"]
    weight = sum(weights) / len(weights)
    return {f"c {c:g} cm": (drape(program, p, weight, 0.01 * c, rings, family), expected)
            for c, expected in (published[0], published[len(published) // 2], published[-1])}


SHEETS = {"cusick-drape": (cusick_drape, 10)}
