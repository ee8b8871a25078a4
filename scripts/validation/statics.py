"""Elastic solids without contact: published benchmarks and closed forms."""

import math

from .meshes import disc_point, even, graded, grid
from .problem import Problem, last, moved, root
from .solid import Hold, Load, Solid

STEEL, POISSON = 210e9, 0.3
TINY = 1e-7
MACNEAL = "MacNeal and Harder 1985"


def plane_strain_of(young, poisson):
    """Returns modulus and Poisson's ratio with which plane strain has the displacements of plane stress."""
    return young * (1 + 2 * poisson) / (1 + poisson) ** 2, poisson / (1 + poisson)


def point_problem(name, title, source, compared, right, solid, axis, sign=1.0, is_large=False, step=1.0):
    """Returns a problem about the displacement of the solid's point along an axis."""
    distance = moved("point", axis)
    return Problem(name, title, source, compared, right, solid.scene(step), lambda result: sign * distance(result),
                   solid.files(), None if is_large else solid,
                   lambda peer: sign * peer.displacement(solid.point)["xyz".index(axis)])


# --- plates and shells ---


def clamped_plate():
    """Quarter of a plate with its middle in y = 0; deflection with that by shear (Mindlin)."""
    radius, thick, pressure = 0.1, 0.005, 1e5
    mesh = grid([even(0, 1, 12), even(-thick / 2, thick / 2, 1), even(0, 1, 12)],
                lambda u, y, v: (disc_point(u, v, radius)[0], y, disc_point(u, v, radius)[1]))
    mesh.add_group("rim", lambda x, y, z: math.hypot(x, z) > radius - TINY)
    mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("z0", lambda x, y, z: z < TINY)
    mesh.add_group("top", lambda x, y, z: y > thick / 2 - TINY)
    stiffness = STEEL * thick ** 3 / 12 / (1 - POISSON ** 2)
    shear = STEEL / 2 / (1 + POISSON)
    right = pressure * radius ** 4 / (64 * stiffness) + pressure * radius ** 2 / (4 * 5 / 6 * shear * thick)
    solid = Solid(mesh, STEEL, POISSON, [Hold("rim", "xyz"), Hold("x0", "x"), Hold("z0", "z")],
                  [Load("pressure", "top", pressure)], point=(0, -thick / 2, 0))
    return point_problem("plate_clamped", "clamped circular plate under pressure, one cell through its thickness",
                         "Timoshenko, Theory of Plates and Shells, 3.17, with shear", "deflection of the middle, m",
                         right, solid, "y", -1)


def supported_plate():
    """Quarter of a square plate whose edges are held in the middle of its thickness."""
    side, thick, pressure = 0.2, 0.004, 1e4
    mesh = grid([even(0, side / 2, 8), even(-thick / 2, thick / 2, 2), even(0, side / 2, 8)], lambda x, y, z: (x, y, z))
    edge = side / 2 - TINY
    mesh.add_line("edge", lambda x, y, z: abs(y) < TINY and max(x, z) > edge)
    mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("z0", lambda x, y, z: z < TINY)
    mesh.add_group("top", lambda x, y, z: y > thick / 2 - TINY)
    right = 0.00406 * pressure * side ** 4 / (STEEL * thick ** 3 / 12 / (1 - POISSON ** 2))
    solid = Solid(mesh, STEEL, POISSON, [Hold("edge", "y"), Hold("x0", "x"), Hold("z0", "z")],
                  [Load("pressure", "top", pressure)], point=(0, -thick / 2, 0))
    return point_problem("plate_supported", "simply supported square plate under pressure, two cells through it",
                         "Timoshenko, Theory of Plates and Shells, table 8", "deflection of the middle, m", right,
                         solid,
                         "y", -1)


def scordelis_lo():
    """Quarter of the roof: z along it from the middle, diaphragm at its end."""
    radius, half, angle, thick = 25.0, 25.0, math.radians(40), 0.25
    mesh = grid([even(0, angle, 16), even(radius - thick / 2, radius + thick / 2, 1), even(0, half, 16)],
                lambda a, r, z: (r * math.sin(a), r * math.cos(a), z))
    mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("z0", lambda x, y, z: z < TINY)
    mesh.add_group("diaphragm", lambda x, y, z: z > half - TINY)
    edge = ((radius - thick / 2) * math.sin(angle), (radius - thick / 2) * math.cos(angle), 0.0)
    solid = Solid(mesh, 4.32e8, 0.0, [Hold("x0", "x"), Hold("z0", "z"), Hold("diaphragm", "xy")],
                  [Load("acceleration", value=(0.0, -0.1, 0.0))], density=90 / thick / 10, point=edge)
    return point_problem("scordelis_lo", "Scordelis-Lo roof under its weight, one cell through its thickness",
                         MACNEAL, "drop of the middle of the free edge for a hundredth of the load, m", 0.3024e-2,
                         solid, "y", -1)


def plates():
    return [clamped_plate(), supported_plate(), scordelis_lo()]


# --- beams ---


def beam_solid(mesh, young, poisson, force, tip):
    return Solid(mesh, young, poisson, [Hold("root", "xyz")], [Load("force", "tip", force)], point=tip)


def curved_beams():
    inner, outer, thick, n = 4.12, 4.32, 0.1, 32
    mesh = grid([even(0, math.pi / 2, n), even(inner, outer, 4), even(-thick / 2, thick / 2, 2)],
                lambda a, r, z: (r * math.sin(a), r * math.cos(a), z))
    mesh.add_group("root", lambda x, y, z: x < TINY).add_group("tip", lambda x, y, z: y < TINY)
    tip, share = (inner, 0.0, -thick / 2), 0.1
    result = []
    for name, words, axis, force, right in (("in", "in", "x", (share, 0.0, 0.0), 0.08734),
                                            ("out", "out of", "z", (0.0, 0.0, share), 0.5022)):
        solid = beam_solid(mesh, 1e7, 0.25, force, tip)
        result.append(point_problem(f"curved_beam_{name}", f"curved beam, force {words} its plane, {n} x 4 x 2 cells",
                                    MACNEAL, "displacement of the tip for a tenth of the force, m", share * right,
                                    solid,
                                    axis))
    return result


def twisted_beams():
    length, width, thick, n = 12.0, 1.1, 0.32, 24

    def place(x, a, b):
        turn = math.pi / 2 * x / length
        return x, a * math.cos(turn) - b * math.sin(turn), a * math.sin(turn) + b * math.cos(turn)
    mesh = grid([even(0, length, n), even(-width / 2, width / 2, 2), even(-thick / 2, thick / 2, 1)], place)
    mesh.add_group("root", lambda x, y, z: x < TINY).add_group("tip", lambda x, y, z: x > length - TINY)
    # At the tip the width lies along z.
    tip = place(length, 0.0, -thick / 2)
    cases = (("in", "in", "z", (0.0, 0.0, 1.0), 0.005424), ("out", "out of", "y", (0.0, 1.0, 0.0), 0.001754))
    return [point_problem(f"twisted_beam_{name}",
                          f"twisted beam, force {words} the plane of its tip, {n} cells along it",
                          MACNEAL, "displacement of the tip, m", right, beam_solid(mesh, 29e6, 0.22, force, tip), axis)
            for name, words, axis, force, right in cases]


def torsion():
    """Square bar whose ends warp freely."""
    side, length, angle, n = 0.02, 0.1, 0.01, 4
    half = side / 2
    mesh = grid([even(-half, half, n), even(-half, half, n), even(0, length, 8)], lambda x, y, z: (x, y, z))
    mesh.add_group("root", lambda x, y, z: z < TINY).add_group("tip", lambda x, y, z: z > length - TINY)
    turn = (f"(cos({angle} * t) - 1) * x - sin({angle} * t) * y", f"sin({angle} * t) * x + (cos({angle} * t) - 1) * y",
            "0")
    solid = Solid(mesh, STEEL, POISSON,
                  [Hold("root", "xy"), Hold("tip", "xy", turn, lambda x, y, z: (-angle * y, angle * x, 0.0))], [],
                  pinned=[(mesh.nearest((0, 0, 0)), "z")])
    scene = solid.scene()
    scene["output"]["probes"] = [{"name": "tip", "kind": "reaction", "body": "solid", "region": {"tags": ["tip"]},
                                  "point": [0, 0, length]}]
    right = 0.140577 * STEEL / 2 / (1 + POISSON) * side ** 4 * angle / length

    def torque(peer):
        return math.fsum(p[0] * f[1] - p[1] * f[0] for p, f in peer.reactions("tip"))
    return Problem("torsion", "torsion of a square bar, ends free to warp, 4 x 4 cells",
                   "Saint-Venant; Timoshenko and Goodier, Theory of Elasticity, 109", "torque, N m", right, scene,
                   last("tip.torque.z [N m]"), solid.files(), solid, torque)


def elastica():
    """Column under a dead load beyond Euler's; a side load of a thousandth leads it to one side."""
    length, thick, young, factor = 1.0, 0.01, 1e9, 1.884
    mesh = grid([even(-thick / 2, thick / 2, 1), even(0, length, 50)], lambda x, y: (x, y))
    mesh.add_group("root", lambda x, y, z: y < TINY).add_group("tip", lambda x, y, z: y > length - TINY)
    euler = math.pi ** 2 / 4 * young / (1 - POISSON ** 2) * thick ** 3 / 12 / length ** 2
    solid = Solid(mesh, young, POISSON, [Hold("root", "xy")],
                  [Load("force", "tip", (1e-3 * euler, -factor * euler, 0.0))], point=(0.0, length, 0.0))
    return point_problem("elastica_column",
                         "column under 1.884 times Euler's load: one cell through its thickness, 50 along it",
                         "Timoshenko and Gere, Theory of Elastic Stability, table 2-4",
                         "how far its end is aside, over length",
                         0.803, solid, "x", 1 / length, True, 0.05)


def side_deflection(share):
    """Returns how much a share of the critical load enlarges the deflection by a side force on the end of a strip.

    The twist is a solution f of f'' = -k^2 s^2 f, s from the free end, k = 4.013 share / L^2; the deflection is
    -3 f'(L) / (k^2 L^3 f(L)) times that without the load.
    """
    k_sq = (4.0126 * share) ** 2
    term, value, slope = 1.0, 1.0, 0.0
    for n in range(1, 30):
        term *= -k_sq / (4 * n * (4 * n - 1))
        value += term
        slope += 4 * n * term
    return -3 * slope / (k_sq * value)


def lateral_buckling():
    """Narrow strip held at x = 0; its load is P * t, with a side load of which the deflection is extrapolated."""
    length, height, thick, young = 1.0, 0.05, 0.005, STEEL
    mesh = grid([even(0, length, 20), even(-height / 2, height / 2, 2), even(-thick / 2, thick / 2, 1)],
                lambda x, y, z: (x, y, z))
    mesh.add_group("root", lambda x, y, z: x < TINY).add_group("tip", lambda x, y, z: x > length - TINY)
    bend = young * height * thick ** 3 / 12
    twist = young / 2 / (1 + POISSON) * height * thick ** 3 / 3 * (1 - 0.63 * thick / height)
    critical = 4.013 / length ** 2 * math.sqrt(bend * twist)
    solid = Solid(mesh, young, POISSON, [Hold("root", "xyz")], [], point=(length, 0.0, thick / 2))
    scene = solid.scene(0.2)
    share = "(0.9 * max(0, t - 0.2) / 0.8)"  # the first step has the side load alone
    scene["bodies"][0]["loads"] = [{"kind": "force", "region": {"tags": ["tip"]},
                                    "expression": ["0", f"-{critical!r} * {share}", f"{1e-4 * critical!r}"]}]

    def measure(result):
        values = result.probe("point.z [m]")
        enlarged = (values[-1] - values[0]) / (values[1] - values[0])
        return 0.9 * critical / root(lambda share: side_deflection(share) - enlarged, 0.5, 0.999)
    return Problem("lateral_buckling", "lateral buckling of a narrow cantilever, 20 x 2 x 1 cells",
                   "Prandtl 1899; Timoshenko and Gere, Theory of Elastic Stability, 6.3",
                   "critical load, from how much 0.9 of it enlarges a side deflection, N", critical, scene, measure,
                   solid.files())


def beams():
    return [*curved_beams(), *twisted_beams(), torsion(), elastica(), lateral_buckling()]


# --- thick solids and stress ---


def thick_sphere():
    inner, outer, pressure = 0.05, 0.1, 50e6
    quarter = even(0, math.pi / 2, 8)
    mesh = grid([even(inner, outer, 4), quarter, quarter],
                lambda r, a, b: (r * math.sin(a) * math.cos(b), r * math.cos(a), r * math.sin(a) * math.sin(b)))
    for axis, name in enumerate("xyz"):
        mesh.add_group(f"{name}0", lambda *p, axis=axis: abs(p[axis]) < TINY)
    mesh.add_group("inside", lambda x, y, z: math.hypot(x, y, z) < inner + TINY)
    ratio = inner ** 3 / (outer ** 3 - inner ** 3)
    right = pressure * ratio / STEEL * ((1 - 2 * POISSON) * inner + (1 + POISSON) * outer ** 3 / (2 * inner ** 2))
    solid = Solid(mesh, STEEL, POISSON, [Hold(f"{c}0", c) for c in "xyz"], [Load("pressure", "inside", pressure)],
                  point=(inner, 0.0, 0.0))
    return point_problem("thick_sphere", "thick sphere under inner pressure, 8 cells in a right angle",
                         "Lame 1852", "displacement of the inside, m", right, solid, "x")


def spinning_disc():
    """Quarter of a long hollow cylinder that spins: plane strain."""
    inner, outer, spin, density = 0.05, 0.2, 1000.0, 7850.0
    mesh = grid([even(inner, outer, 10), even(0, math.pi / 2, 16)], lambda r, a: (r * math.cos(a), r * math.sin(a)))
    mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("y0", lambda x, y, z: y < TINY)
    young, nu = STEEL / (1 - POISSON ** 2), POISSON / (1 - POISSON)
    right = density * spin ** 2 / (8 * young) * (3 + nu) * (1 - nu) * inner * (
        inner ** 2 + outer ** 2 + (1 + nu) / (1 - nu) * outer ** 2 - (1 + nu) / (3 + nu) * inner ** 2)
    solid = Solid(mesh, STEEL, POISSON, [Hold("x0", "x"), Hold("y0", "y")],
                  [Load("acceleration", expression=(f"{spin ** 2} * x", f"{spin ** 2} * y", "0"))], density,
                  (inner, 0.0, 0.0))
    return point_problem("spinning_cylinder", "hollow cylinder that spins at 1000 rad/s, plane strain, 10 x 16 cells",
                         "Timoshenko and Goodier, Theory of Elasticity, 32", "displacement of the inside, m", right,
                         solid,
                         "x", 1.0, True)


def kirsch():
    """Quarter of a wide strip with a hole, pulled along x."""
    hole, half, stress, n = 0.01, 0.1, 1e6, 16

    def place(share, angle):
        far = half / max(math.cos(angle), math.sin(angle))
        r = hole + share * (far - hole)
        return r * math.cos(angle), r * math.sin(angle)
    mesh = grid([graded(0, 1, 12, 20), even(0, math.pi / 2, n)], place)
    mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("y0", lambda x, y, z: y < TINY)
    mesh.add_group("end", lambda x, y, z: x > half - TINY)
    ratio = hole / half
    right = stress * (0.284 + 2 / (1 - ratio) - 0.6 * (1 - ratio) + 1.32 * (1 - ratio) ** 2)
    solid = Solid(mesh, STEEL, POISSON, [Hold("x0", "x"), Hold("y0", "y")],
                  [Load("traction", "end", (stress, 0.0, 0.0))], fields=("principal_stress",))
    return Problem("kirsch", "hole in a strip ten times as wide, 16 cells around a quarter",
                   "Kirsch 1898; Howland; Peterson's Stress Concentration Factors, chart 4.1", "largest stress, Pa",
                   right,
                   solid.scene(), lambda result: max(s[0] for s in result.principal_stresses()), solid.files(), solid,
                   lambda peer: peer.stress((0.0, hole, 0.0))[0])


def kirsch_by_numbers():
    """The same, with the planes of symmetry selected by the numbers of their vertices."""
    problem = kirsch()
    faces = problem.solid.mesh.groups
    for motion, hold in zip(problem.scene["bodies"][0]["motions"], problem.solid.holds):
        motion["region"] = {"nodes": sorted({v for face in faces[hold.group] for v in face})}
    problem.name, problem.solid = "kirsch_by_numbers", None
    problem.note = ("Elements became quadratic, and `region.nodes` does not select the nodes in the middle of their "
                    "edges, which are free therefore.")
    problem.title += ", planes of symmetry selected by numbers of vertices"
    return problem


def cook():
    young, poisson = plane_strain_of(1e9, 1 / 3)
    n, force = 8, 1e6
    mesh = grid([even(0, 1, n), even(0, 1, n)], lambda u, v: (48 * u, (44 * u + 44 * v * (1 - u)) + 16 * u * v))
    mesh.add_group("root", lambda x, y, z: x < TINY).add_group("end", lambda x, y, z: x > 48 - TINY)
    solid = Solid(mesh, young, poisson, [Hold("root", "xy")], [Load("force", "end", (0.0, force, 0.0))],
                  point=(48.0, 52.0, 0.0))
    return point_problem("cook", "Cook's membrane, 8 x 8 cells, as plane strain of the same stiffness, small load",
                         "Cook 1974", "rise of the middle of the end, m", 23.96e-3, solid, "y")


def ellipse_grid(lines, place_height=None):
    """Maps (share between the ellipses of NAFEMS LE1 and LE10, angle) to the plane."""
    def place(share, angle, *height):
        a, b = 2 + 1.25 * share, 1 + 1.75 * share
        return (a * math.cos(angle), b * math.sin(angle), *height)
    return grid(lines, place)


def on_ellipse(a, b):
    return lambda x, y, z: abs((x / a) ** 2 + (y / b) ** 2 - 1) < 1e-6


def le1():
    young, poisson = plane_strain_of(STEEL, POISSON)
    mesh = ellipse_grid([even(0, 1, 10), even(0, math.pi / 2, 20)])
    mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("y0", lambda x, y, z: y < TINY)
    mesh.add_group("outside", on_ellipse(3.25, 2.75))
    solid = Solid(mesh, young, poisson, [Hold("x0", "x"), Hold("y0", "y")], [Load("pressure", "outside", -10e6)],
                  fields=("principal_stress",))
    return Problem("le1", "NAFEMS LE1, elliptic membrane, 10 x 20 cells, as plane strain", "NAFEMS TNSB 1990, LE1",
                   "stress along y at D, Pa", 92.7e6, solid.scene(),
                   lambda result: result.mean_stress((2, 0, 0))[0], solid.files(), solid,
                   lambda peer: peer.stress((2, 0, 0))[1],
                   note="The file has straight edges along the ellipse; CalculiX is as far off on the same mesh.")


def le10():
    thick = 0.6
    mesh = ellipse_grid([even(0, 1, 6), even(0, math.pi / 2, 12), even(0, thick, 2)])
    outer = on_ellipse(3.25, 2.75)
    mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("y0", lambda x, y, z: y < TINY)
    mesh.add_group("outside", outer).add_group("top", lambda x, y, z: z > thick - TINY)
    mesh.add_line("middle", lambda x, y, z: abs(z - thick / 2) < TINY and outer(x, y, z))
    solid = Solid(mesh, STEEL, POISSON, [Hold("x0", "x"), Hold("y0", "y"), Hold("outside", "xy"), Hold("middle", "z")],
                  [Load("pressure", "top", 1e6)], fields=("principal_stress",))
    corner = (2, 0, thick)
    return Problem("le10", "NAFEMS LE10, thick elliptic plate, 6 x 12 x 2 cells", "NAFEMS TNSB 1990, LE10",
                   "stress along y at D, Pa", -5.38e6, solid.scene(),
                   lambda result: result.mean_stress(corner)[2], solid.files(), solid,
                   lambda peer: peer.stress(corner)[1])


def solids():
    return [thick_sphere(), spinning_disc(), kirsch(), kirsch_by_numbers(), cook(), le1(), le10()]


def problems():
    return [*plates(), *beams(), *solids()]
