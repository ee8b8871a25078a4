"""Shells and membranes: the cases of thin_cases.json whose group begins with `shell` or `membrane`."""

import math

from thin.meshes import disk, nodes, rectangle
from thin.scene import (Failed, end_couple, force, frequency, held, is_threshold, moved, position, ramp, reaction,
                        rolled_up, scene)

TINY = 1e-9


def shell(mesh, thickness, material, motions=(), loads=(), name="shell", **others):
    return {"name": name, "kind": "shell", "geometry": mesh, "thickness": thickness, "material": material,
            "motions": list(motions), "loads": list(loads), **others}


def elastic(p, density=1000.0):
    return {"youngs_modulus": p["youngs_modulus"], "poisson_ratio": p["poisson_ratio"],
            "density": p.get("density", density)}


def border(mesh, width, length):
    return nodes(mesh, lambda x, y, z: min(x, z, width - x, length - z) < TINY)


def middle(mesh, at):
    return min(range(len(mesh["vertices"])), key=lambda i: math.dist(mesh["vertices"][i], at))


def plate_square(program, p, e, cells, family):
    results = {}
    a = p["side"]
    for support, clamp in (("simply_supported", False), ("clamped", True)):
        mesh = rectangle(a, a, (cells, cells), family)
        # An even number of cells has a node in the middle; it is moved there in the mesh without order.
        mid = middle(mesh, (a / 2, 0, a / 2))
        mesh["vertices"][mid] = [a / 2, 0.0, a / 2]
        body = shell(mesh, p["thickness"], elastic(p), [held(border(mesh, a, a), clamp=clamp)],
                     [{"kind": "pressure", "pressure": repr(p["pressure"])}])
        probes = program.run(scene([body], [position("mid", "shell", mid)]))
        results[support] = (abs(moved(probes, "mid")[1]), e[support])
    return results


def plate_circle(program, p, e, rings, family):
    results = {}
    for support, clamp in (("clamped", True), ("simply_supported", False)):
        mesh = disk(p["radius"], rings, family)
        rim = nodes(mesh, lambda x, y, z: math.hypot(x, z) > p["radius"] * (1 - 1e-6))
        body = shell(mesh, p["thickness"], elastic(p), [held(rim, clamp=clamp)],
                     [{"kind": "pressure", "pressure": repr(p["pressure"])}])
        probes = program.run(scene([body], [position("mid", "shell", 0)]))
        results[support] = (abs(moved(probes, "mid")[1]), e[support])
    return results


def plate_corner_twist(program, p, e, cells, family):
    a = p["side"]
    mesh = rectangle(a, a, (cells, cells), family)
    corner = [middle(mesh, c) for c in ((0, 0, 0), (a, 0, 0), (0, 0, a), (a, 0, a))]
    body = shell(mesh, p["thickness"], elastic(p),
                 [held([corner[0]]), held([corner[1]], components=[False, True, True]),
                  held([corner[2]], components=[False, True, False])],
                 [force([corner[3]], [0, -p["force"], 0])])
    probes = program.run(scene([body], [position("corner", "shell", corner[3])]))
    return {"corner_deflection": (-moved(probes, "corner")[1], e["corner_deflection"])}


def plate_frequencies(program, p, e, cells, family):
    results = {}
    a = p["side"]
    shapes = {"simply_supported": f"sin(3.141592653589793*x/{a})*sin(3.141592653589793*z/{a})",
              "clamped": f"(sin(3.141592653589793*x/{a})*sin(3.141592653589793*z/{a}))^2", "cantilever": f"(x/{a})^2"}
    for support, shape in shapes.items():
        mesh = rectangle(a, a, (cells, cells), family)
        if support == "cantilever":
            numbers, probe = nodes(mesh, lambda x, y, z: x < TINY), middle(mesh, (a, 0, a / 2))
        else:
            numbers, probe = border(mesh, a, a), middle(mesh, (a / 2, 0, a / 2))
        body = shell(mesh, p["thickness"], elastic(p), [held(numbers, clamp=support != "simply_supported")],
                     velocity=["0", f"1e-5*{shape}", "0"])
        step = 1.0 / (100 * e[support])
        probes = program.run(scene([body], [position("mid", "shell", probe)], is_static=False,
                                   integrator="implicit_newmark", step=step, duration=2.5 / e[support]))
        results[support] = (frequency(probes["time"], probes["mid.y"]), e[support])
    return results


def strip_of(length, width, cells, family):
    """Returns a strip along x whose end at x = 0 is to be clamped."""
    return rectangle(length, width, cells, family)


def heavy_elastica(program, p, e, cells, family):
    results = {}
    length, t, rho = p["length"], p["thickness"], p["density"]
    for load in p["load_numbers"]:
        modulus = 12.0 * rho * 9.81 * length ** 3 / (t * t * load)
        mesh = strip_of(length, 0.1 * length, (2 * cells, max(2, cells // 8)), family)
        end = nodes(mesh, lambda x, y, z: x > length - TINY)
        body = shell(mesh, t, {"youngs_modulus": modulus, "poisson_ratio": 0.0, "density": rho},
                     [held(nodes(mesh, lambda x, y, z: x < TINY), clamp=True)])
        probe = {"name": "tip", "kind": "position", "body": "shell", "region": {"nodes": end}}
        probes = program.run(scene([body], [probe], gravity=9.81))
        x, y, _ = moved(probes, "tip")
        expected = e["x_y_aspect_angle"][f"load_{load:g}"]
        results[f"x {load:g}"] = (1.0 + x / length, expected[0])
        results[f"drop {load:g}"] = (-y / length, expected[1])
    return results


def roll_up(program, p, e, cells, family):
    """A couple acts on the last two rows: the length counts to the middle between them, as that of a rod."""
    length, t, width = p["length"], p["thickness"], p["width"]
    size, across = length / (cells - 0.5), max(1, cells // 16)
    mesh = strip_of(size * cells, width, (cells, across), family)
    first, inner, last = [[j * (cells + 1) + i for j in range(across + 1)] for i in (0, cells - 1, cells)]
    for i in inner:
        mesh["vertices"][i][0] = size * (cells - 1)
    largest = max(p["moments_over_full"])
    full = 2.0 * math.pi * p["youngs_modulus"] * width * t ** 3 / 12.0 / length
    steps = round(40 * largest)
    body = shell(mesh, t, elastic(p),
                 [held(first, clamp=True), held(list(range(len(mesh["vertices"]))), components=[False, False, True])],
                 end_couple(last, inner, size, largest * full, 2.0 * math.pi * largest, steps))
    tip = {"name": "tip", "kind": "position", "body": "shell", "region": {"nodes": inner + last}}
    probes = program.run(scene([body], [tip], duration=float(steps), contact={"enabled": False}))
    return rolled_up(probes, p, e, steps)


def elastica_tip(load):
    """Returns the way inward and up of the end of a cantilever of length 1 under a force across it that keeps its
    direction, by load F L^2 / EI. With p the sine of the slope and P that of the end, the curvature is sqrt(2 load (P -
    p)), and u = sqrt(P - p) runs from sqrt(P) to 0."""

    def along(end, weight):
        last, num = math.sqrt(end), 400
        values = [weight(end - u * u) / math.sqrt(1.0 - (end - u * u) ** 2)
                  for u in (last * i / num for i in range(num + 1))]
        simpson = values[0] + values[-1] + 4.0 * sum(values[1:-1:2]) + 2.0 * sum(values[2:-1:2])
        return math.sqrt(2.0 / load) * simpson * last / (3.0 * num)

    low, high = 0.0, 1.0 - 1e-9
    for _ in range(60):
        end = 0.5 * (low + high)
        low, high = (end, high) if along(end, lambda p: 1.0) < 1.0 else (low, end)
    return 1.0 - math.sqrt(2.0 * end / load), along(end, lambda p: p)


def cantilever_shear(program, p, e, cells, family):
    """The expected numbers are those of the elastica, as nu = 0: the published ones have three decimals, which for the
    least load are half a percent, and differ from it by up to 0.5 %."""
    results = {}
    length, width, t = p["length"], p["width"], p["thickness"]
    mesh = strip_of(length, width, (cells, max(1, cells // 16)), family)
    end = nodes(mesh, lambda x, y, z: x > length - TINY)
    loads = [row[0] for row in e["table"]]
    last = max(loads)
    body = shell(mesh, t, elastic(p), [held(nodes(mesh, lambda x, y, z: x < TINY), clamp=True)],
                 [{"kind": "force", "region": {"nodes": end}, "expression": ramp((0, last, 0), 10.0)}])
    probe = {"name": "tip", "kind": "position", "body": "shell", "region": {"nodes": end}}
    probes = program.run(scene([body], [probe], duration=10.0))
    for load, inward, up in e["table"]:
        row = round(10 * load / last)
        if abs(10 * load / last - row) > 1e-9:
            continue
        exact = elastica_tip(load * length ** 2 * 12.0 / (p["youngs_modulus"] * width * t ** 3))
        for name, way, ratio, published in (
                ("inward", probes["tip.x"][0] - probes["tip.x"][row], exact[0], inward),
                ("up", probes["tip.y"][row] - probes["tip.y"][0], exact[1], up)):
            if abs(length * ratio - published) > 0.005 * published + 0.0005:
                raise Failed(f"the elastica has {length * ratio:g} {name} at {load:g}, the table {published:g}")
            results[f"{name} {load:g}"] = (way, length * ratio)
    return results


def slit_annulus(program, p, e, cells, family):
    ri, ro = p["inner_radius"], p["outer_radius"]
    around = 8 * cells
    mesh = rectangle(1.0, 1.0, (cells, around), family,
                     lambda u, v: ((ri + u * (ro - ri)) * math.cos(2 * math.pi * v), 0.0,
                                   (ri + u * (ro - ri)) * math.sin(2 * math.pi * v)))
    row = cells + 1
    fixed, lip = list(range(row)), list(range(around * row, around * row + row))
    total = p["line_force"] * (ro - ri)
    body = shell(mesh, p["thickness"], elastic(p), [held(fixed, clamp=True)],
                 [{"kind": "force", "region": {"nodes": lip}, "expression": ramp((0, total, 0), 10.0)}])
    probes = program.run(scene([body], [position("a", "shell", lip[0]), position("b", "shell", lip[-1])], duration=10.0,
                               contact={"enabled": False}))
    return {"A": (moved(probes, "a")[1], e["A"]), "B": (moved(probes, "b")[1], e["B"])}


def scordelis_lo(program, p, e, cells, family):
    """A quarter of the roof: its axis is x, the diaphragm at x = 0; symmetry at x = L/2 and at the top."""
    r, half, angle = p["radius"], p["length"] / 2, math.radians(p["half_angle_deg"])
    mesh = rectangle(1.0, 1.0, (cells, cells), family,
                     lambda u, v: (half * u, r * math.cos(angle * v), r * math.sin(angle * v)))
    diaphragm = nodes(mesh, lambda x, y, z: x < TINY)
    at_half = nodes(mesh, lambda x, y, z: x > half - TINY)
    top = nodes(mesh, lambda x, y, z: z < TINY)
    corner = middle(mesh, (half, r * math.cos(angle), r * math.sin(angle)))
    # The number is that of linear theory. Under its whole weight the roof bends by more than its thickness and stiffens:
    # a thousandth of the weight acts.
    material = {"youngs_modulus": p["youngs_modulus"], "poisson_ratio": p["poisson_ratio"],
                "density": p["weight_per_area"] / p["thickness"] / 10.0}
    body = shell(mesh, p["thickness"], material,
                 [held(diaphragm, components=[False, True, True]),
                  held(at_half, components=[True, False, False], clamp=True),
                  held(top, components=[False, False, True], clamp=True)])
    probes = program.run(scene([body], [position("side", "shell", corner)], gravity=1e-2))
    return {"deflection": (-1e3 * moved(probes, "side")[1], e["deflection"])}


def pinched_cylinder(program, p, e, cells, family):
    """An eighth: axis x, diaphragm at x = 0, symmetry at x = L/2, at the top (force) and at the side."""
    r, half = p["radius"], p["length"] / 2
    mesh = rectangle(1.0, 1.0, (cells, cells), family,
                     lambda u, v: (half * u, r * math.cos(0.5 * math.pi * v), r * math.sin(0.5 * math.pi * v)))
    tiny = 1e-6
    diaphragm = nodes(mesh, lambda x, y, z: x < tiny)
    at_half = nodes(mesh, lambda x, y, z: x > half - tiny)
    top, side = nodes(mesh, lambda x, y, z: z < tiny), nodes(mesh, lambda x, y, z: y < tiny)
    loaded = middle(mesh, (half, r, 0.0))
    body = shell(mesh, p["thickness"], elastic(p),
                 [held(diaphragm, components=[False, True, True]),
                  held(at_half, components=[True, False, False], clamp=True),
                  held(top, components=[False, False, True], clamp=True),
                  held(side, components=[False, True, False], clamp=True)],
                 [force([loaded], [0, -p["force"] / 4, 0])])
    probes = program.run(scene([body], [position("at", "shell", loaded)]))
    return {"deflection": (-moved(probes, "at")[1], e["deflection"])}


def pinched_hemisphere(program, p, e, cells, family):
    r, hole = p["radius"], math.radians(p["hole_deg"])
    mesh = rectangle(1.0, 1.0, (cells, cells), family, lambda u, v: (
        r * math.cos(0.5 * math.pi * v) * math.cos((0.5 * math.pi - hole) * u),
        r * math.sin((0.5 * math.pi - hole) * u),
        r * math.sin(0.5 * math.pi * v) * math.cos((0.5 * math.pi - hole) * u)))
    tiny = 1e-6
    at_x, at_z = middle(mesh, (r, 0, 0)), middle(mesh, (0, 0, r))
    motions = [held(nodes(mesh, lambda x, y, z: z < tiny), components=[False, False, True], clamp=True),
               held(nodes(mesh, lambda x, y, z: x < tiny), components=[True, False, False], clamp=True),
               held([at_x], components=[False, True, False])]
    results = {}

    def run(load, steps):
        loads = [{"kind": "force", "region": {"nodes": [at_x]}, "expression": ramp((load / 2, 0, 0), steps)},
                 {"kind": "force", "region": {"nodes": [at_z]}, "expression": ramp((0, 0, -load / 2), steps)}]
        body = shell(mesh, p["thickness"], elastic(p), motions, loads)
        return program.run(scene([body], [position("x", "shell", at_x), position("z", "shell", at_z)], duration=steps,
                                 contact={"enabled": False}))

    probes = run(1e-2 * p["linear_force"], 1.0)
    results["linear"] = (50.0 * (moved(probes, "x")[0] - moved(probes, "z")[2]), e["linear"])
    last = max(p["forces"])
    probes = run(last, 20.0)
    for load, inward, outward in zip(p["forces"], e["inward"], e["outward"]):
        row = round(20 * load / last)
        results[f"inward {load:g}"] = (probes["z.z"][0] - probes["z.z"][row], inward)
        results[f"outward {load:g}"] = (probes["x.x"][row] - probes["x.x"][0], outward)
    return results


def uniaxial(program, p, e, cells, family):
    results = {}
    for model, key in (("st_venant_kirchhoff", "stress_stvk"), ("neo_hookean", "stress_neo_hookean")):
        mesh = rectangle(1.0, 1.0, (cells, cells), family)
        right = nodes(mesh, lambda x, y, z: x > 1 - TINY)
        sides = nodes(mesh, lambda x, y, z: min(z, 1 - z) < TINY)
        t = 0.01
        body = shell(mesh, t, {"model": model, "youngs_modulus": p["youngs_modulus"],
                               "poisson_ratio": p["poisson_ratio"]},
                     [held(nodes(mesh, lambda x, y, z: x < TINY)),
                      held(right, displacement=ramp((p["stretch"] - 1.0, 0, 0), 4.0)),
                      held(sides, components=[False, True, True])], shell={"bending": "none"})
        probes = program.run(scene([body], [reaction("end", "shell", right)], duration=4.0))
        results[key] = (probes["end.force.x"][-1] / t, e[key])
    return results


def even_gradient(probes):
    """Returns the gradient of the displacement by x and z from the ways of three nodes a, b and c of a level sheet."""
    starts, ways = ([[probes[f"{n}.{k}"][row] - probes[f"a.{k}"][row] for k in "xz"] for n in "bc"] for row in (0, -1))
    (bx, bz), (cx, cz) = starts
    area = bx * cz - cx * bz
    gradient = []
    for k in range(2):
        b, c = ways[0][k] - starts[0][k], ways[1][k] - starts[1][k]
        gradient.append([(b * cz - c * bz) / area, (bx * c - cx * b) / area])
    return gradient


def orthotropic(program, p, e, cells, family):
    """A strip 10:1 pulled along x, with the warp along it, across it and on the bias."""
    results = {}
    t, pull = 1e-3, p["strain"] * p["E_weft"]
    for name, warp in (("modulus_warp", (1, 0, 0)), ("modulus_weft", (0, 0, 1)), ("modulus_at_45_deg", (1, 0, 1))):
        mesh = rectangle(10.0, 1.0, (10 * cells // 4, cells // 4), family)
        left, right = nodes(mesh, lambda x, y, z: x < TINY), nodes(mesh, lambda x, y, z: x > 10 - TINY)
        corner = middle(mesh, (0, 0, 0))
        fabric = {"warp": list(warp), "youngs_modulus_warp": p["E_warp"], "youngs_modulus_weft": p["E_weft"],
                  "poisson_ratio": p["nu_warp_weft"], "shear_modulus": p["G"]}
        # Uniform stress: the pull acts on both ends by forces, and three numbers hold the strip in its plane.
        total = pull * t
        body = shell(mesh, t, {}, [held([corner], components=[True, True, True]),
                                   held([middle(mesh, (10, 0, 0))], components=[False, False, True]),
                                   held(list(range(len(mesh["vertices"]))), components=[False, True, False])],
                     [force(left, [-total, 0, 0]), force(right, [total, 0, 0])],
                     shell={"bending": "none", "orthotropy": fabric})
        # On one line along the pull, shear has no part in the lengthening.
        a, b, c = middle(mesh, (4, 0, 0)), middle(mesh, (6, 0, 0)), middle(mesh, (4, 0, 1))
        probes = program.run(scene([body], [position("a", "shell", a), position("b", "shell", b),
                                            position("c", "shell", c)]))
        # The strain is even: the ways of three nodes have its gradient.
        gradient = even_gradient(probes)
        results[name] = (pull / gradient[0][0], e[name])
        if name == "modulus_weft":
            results["nu_weft_warp"] = (-gradient[1][1] / gradient[0][0], e["nu_weft_warp"])
        if name == "modulus_at_45_deg":
            shear = abs(gradient[0][1] + gradient[1][0]) / gradient[0][0]
            results["shear_per_stretch_at_45"] = (shear, e["shear_per_stretch_at_45_abs"])
    return results


def hanging_strip(program, p, e, cells, family):
    """Rows of nodes say how far the strip is stretched along itself."""
    mesh = rectangle(p["length"], 0.2, (cells, max(2, cells // 5)), family, lambda u, v: (v, -u, 0.0))
    top = nodes(mesh, lambda x, y, z: y > -TINY)
    rows = []
    for row in range(cells + 1):
        height = -p["length"] * row / cells
        level = nodes(mesh, lambda x, y, z, height=height: abs(y - height) < 0.3 * p["length"] / cells)
        rows.append({"name": f"row{row}", "kind": "position", "body": "shell", "region": {"nodes": level}})
    body = shell(mesh, 1e-3, {"model": "st_venant_kirchhoff", "youngs_modulus": p["youngs_modulus"],
                              "poisson_ratio": 0.0, "density": p["density"]},
                 [held(top, components=[False, True, True]), held([top[0]])])

    def hang(gravity, **others):
        """Returns the heights of the rows at the start, and the stretch between them under the weight."""
        probes = program.run(scene([dict(body, **others)], rows, gravity=gravity))
        start, end = ([probes[f"row{row}.y"][k] for row in range(cells + 1)] for k in (0, -1))
        pairs = zip(start, start[1:], end, end[1:])
        return start, [(d - c) / (b - a) for a, b, c, d in pairs], start[-1] - end[-1]

    # Linear theory: a thousandth of the weight. The strain at the top follows from those below the first two rows.
    start, stretch, elongation = hang(9.81e-3)
    first, second = start[0] - 0.5 * (start[0] + start[1]), start[0] - 0.5 * (start[1] + start[2])
    at_top = (stretch[0] - 1.0) + (stretch[0] - stretch[1]) * first / (second - first)
    # Under its whole weight, with the limit.
    limit = p["strain_limit"]
    largest = max(hang(9.81, shell={"strain_limit": limit})[1])
    return {"elongation": (1e3 * elongation, e["elongation_without_limit"]),
            "top_strain": (1e3 * at_top, e["top_strain_without_limit"]),
            "stretched below the limit": (float(1.0 < largest < 1.0 + limit), 1.0)}


def plate_buckling(program, p, e, cells, family):
    a = p["side"]

    def make(factor):
        mesh = rectangle(a, a, (cells, cells), family)
        left = nodes(mesh, lambda x, y, z: x < TINY)
        right = nodes(mesh, lambda x, y, z: x > a - TINY)
        mid = middle(mesh, (a / 2, 0, a / 2))
        bump = [[0.0, 1e-2 * p["thickness"] * math.sin(math.pi * x / a) * math.sin(math.pi * z / a), 0.0]
                if min(x, z, a - x, a - z) > TINY else [0.0, 0.0, 0.0] for x, _, z in mesh["vertices"]]
        total = factor * e["critical_line_force"] * a
        body = shell(mesh, p["thickness"], elastic(p),
                     [held(border(mesh, a, a), components=[False, True, False]),
                      held([middle(mesh, (0, 0, 0))], components=[True, True, True]),
                      held([middle(mesh, (a, 0, 0))], components=[False, True, True])],
                     [force(left, [total, 0, 0]), force(right, [-total, 0, 0])])
        return (scene([body], [position("mid", "shell", mid)],
                      start={"moved": [{"body": "shell", "displacements": bump}]}), "mid.y", 0.1 * p["thickness"])
    return {"critical_line_force": (is_threshold(program, make, 0.02), 1.0)}


def ring_pressure(program, p, e, cells, family):
    """A narrow tube, a little oval, under pressure that follows its sides: a ring of nu = 0 with EI = D times its
    width. A pressure that keeps its direction would buckle it at 4 EI / R^3."""
    r, width, t = p["radius"], 0.1 * p["radius"], 0.01 * p["radius"]
    around = 4 * cells
    mesh = rectangle(1.0, width, (around, 2), family, lambda u, v: (
        r * math.cos(2.0 * math.pi * u), r * math.sin(2.0 * math.pi * u), v))
    # The last column is the first one. Those on the axes of the ring are straight also without order.
    first = {j * (around + 1) + around: j * (around + 1) for j in range(3)}
    for j in range(3):
        for k, (x, y) in enumerate(((r, 0.0), (0.0, r), (-r, 0.0), (0.0, -r))):
            mesh["vertices"][j * (around + 1) + k * around // 4][:2] = [x, y]
    mesh["triangles"] = [[first.get(n, n) for n in t] for t in mesh["triangles"]]
    kept = sorted({n for t in mesh["triangles"] for n in t})
    number = {n: k for k, n in enumerate(kept)}
    mesh = {"vertices": [mesh["vertices"][n] for n in kept],
            "triangles": [[number[n] for n in t] for t in mesh["triangles"]]}
    ways = [[2e-3 * (x * x - y * y) * x / r / r, 2e-3 * (x * x - y * y) * y / r / r, 0.0] for x, y, _ in mesh["vertices"]]
    modulus = 12.0 * p["EI"] / (width * t ** 3)
    on_x, on_y = [nodes(mesh, lambda x, y, z, k=k: abs((x, y)[k]) < TINY) for k in (1, 0)]
    everything = list(range(len(mesh["vertices"])))

    def make(factor):
        pressure = -factor * e["critical_pressure_follower"] * p["EI"] / r ** 3 / width
        body = shell(mesh, t, {"youngs_modulus": modulus, "poisson_ratio": 0.0},
                     [held(everything, components=[False, False, True]), held(on_x, components=[False, True, False]),
                      held(on_y, components=[True, False, False])],
                     [{"kind": "pressure", "pressure": repr(pressure)}])
        return (scene([body], [position("side", "shell", middle(mesh, (r, 0.0, 0.0)))], contact={"enabled": False},
                      start={"moved": [{"body": "shell", "displacements": ways}]}), "side.x", 0.1 * r)
    return {"critical_pressure": (is_threshold(program, make, 0.02), 1.0)}


def astm(program, p, e, cells, family):
    """A strip with the exact stiffness droops until the chord of its overhang is 41.5 degrees below the level."""
    length, t = p["overhang"], 0.004 * p["overhang"]
    modulus = 12.0 * e["D_exact"] / t ** 3
    mesh = strip_of(length, 0.2 * length, (3 * cells, max(2, cells // 4)), family)
    end = nodes(mesh, lambda x, y, z: x > length - TINY)
    body = shell(mesh, t, {"youngs_modulus": modulus, "poisson_ratio": 0.0,
                           "density": p["weight_per_area"] / 9.81 / t},
                 [held(nodes(mesh, lambda x, y, z: x < TINY), clamp=True)])
    probe = {"name": "tip", "kind": "position", "body": "shell", "region": {"nodes": end}}
    probes = program.run(scene([body], [probe], gravity=9.81))
    return {"chord_angle": (math.degrees(math.atan2(-probes["tip.y"][-1], probes["tip.x"][-1])), 41.5)}


def inflated_sphere(program, p, e, rings, _family):
    """The pressure of the law at the stretch that a pressure leads to, beside that pressure."""
    results = {}
    r, t, modulus, nu = p["radius"], p["thickness"], p["youngs_modulus"], p["poisson_ratio"]
    mu, lam = modulus / (2 * (1 + nu)), modulus * nu / (1 - nu * nu)
    laws = {"stvk": ("st_venant_kirchhoff", lambda l: modulus / (1 - nu) * (l * l - 1) * l),
            "neo_hookean": ("neo_hookean", lambda l: mu * (2 * l - 2 / l) + 4 * lam * math.log(l) / l)}
    for key, (model, slope) in laws.items():
        pressure = e[f"pressure_{key}"]
        body = {"name": "ball", "kind": "shell", "thickness": t,
                "generator": {"kind": "sphere", "size": [r], "resolution": [rings]},
                "material": {"model": model, "youngs_modulus": modulus, "poisson_ratio": nu},
                "shell": {"bending": "none"}, "loads": [{"kind": "pressure", "pressure": f"0 - {pressure!r} * t / 5"}]}
        probes = [{"name": f"n{i}", "kind": "position", "body": "ball", "point": [r * c for c in at]}
                  for i, at in enumerate(((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)))]
        run = program.run(scene([body], probes, duration=5.0, static={"hold_free": True}))
        stretch = sum(math.dist([run[f"n{i}.{c}"][-1] for c in "xyz"], [run[f"n{i + 1}.{c}"][-1] for c in "xyz"])
                      / math.dist([run[f"n{i}.{c}"][0] for c in "xyz"], [run[f"n{i + 1}.{c}"][0] for c in "xyz"])
                      for i in (0, 2, 4)) / 3
        results[key] = (t * slope(stretch) / (r * stretch ** 2), pressure)
    return results


def membrane_waves(program, p, e, rings, family):
    """A drum and a strip whose rim or ends are held where they stretch the skin evenly, let go with velocities like
    those of a mode."""
    r, strain, density = p["radius"], 1e-3, p["density"]
    # The density at rest is that of the skin before it is stretched.
    law = {"model": "st_venant_kirchhoff", "youngs_modulus": p["prestress"] / strain, "poisson_ratio": 0.0,
           "density": density}

    def vibration(mesh, fixed, stretch, velocity, probe, estimate):
        body = shell(mesh, p["thickness"], law, [held(fixed)], shell={"bending": "none"}, velocity=["0", velocity, "0"])
        ways = [[stretch[0] * x, 0.0, stretch[1] * z] for x, _, z in mesh["vertices"]]
        probes = program.run(scene([body], [position("at", "shell", probe)], is_static=False,
                                   integrator="implicit_newmark", step=1.0 / (200 * estimate), duration=6.0 / estimate,
                                   start={"moved": [{"body": "shell", "displacements": ways}]}))
        return frequency(probes["time"], probes["at.y"])

    mesh = disk(r, rings, family)
    rim = nodes(mesh, lambda x, y, z: math.hypot(x, z) > r * (1 - 1e-6))
    round_shape, even = f"1e-5 * (1 - (x * x + z * z) / {r * r!r})", (strain, strain)
    results = {}
    results["drum_f01"] = (vibration(mesh, rim, even, round_shape, 0, e["drum_f01"]), e["drum_f01"])
    beside = middle(mesh, (0.5 * r, 0.0, 0.0))
    results["drum_f11"] = (vibration(mesh, rim, even, f"{round_shape} * x / {r!r}", beside, e["drum_f11"]),
                           e["drum_f11"])
    # The first vibration of a strip between held ends has half a wave on its length.
    length = 4.0 * r
    mesh = rectangle(length, 0.1 * length, (4 * rings, max(2, 2 * rings // 5)), family)
    ends = nodes(mesh, lambda x, y, z: min(x, length - x) < TINY)
    f1 = vibration(mesh, ends, (strain, 0.0), f"1e-5 * sin({math.pi / length!r} * x)",
                   middle(mesh, (0.5 * length, 0.0, 0.0)), e["wave_speed"] / (2.0 * length))
    results["wave_speed"] = (2.0 * length * f1, e["wave_speed"])
    return results


CASES = {
    "plate-square": (plate_square, 32), "plate-circle": (plate_circle, 12), "plate-corner-twist": (plate_corner_twist, 8),
    "plate-frequencies": (plate_frequencies, 20), "strip-heavy-elastica": (heavy_elastica, 24),
    "roll-up": (roll_up, 16),
    "sze-cantilever-shear": (cantilever_shear, 16), "sze-slit-annulus": (slit_annulus, 10),
    "scordelis-lo": (scordelis_lo, 32), "pinched-cylinder": (pinched_cylinder, 40),
    "pinched-hemisphere": (pinched_hemisphere, 16), "uniaxial-large": (uniaxial, 4),
    "orthotropic-off-axis": (orthotropic, 8), "hanging-strip": (hanging_strip, 20),
    "plate-buckling": (plate_buckling, 20), "astm-d1388": (astm, 12), "inflated-sphere": (inflated_sphere, 6),
    "membrane-waves": (membrane_waves, 12), "ring": (ring_pressure, 15),
}
