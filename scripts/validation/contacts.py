"""Contact and friction: published benchmarks and closed forms."""

import math

import bench_high_order as high_order

from .meshes import Mesh, even, fine_then_graded, grid
from .problem import G, Problem
from .statics import POISSON, STEEL, TINY

ALUMINIUM = 70e9
KONTER = "NAFEMS R0094 (Konter 2006)"


def statics_scene(bodies, dimension=2, step=0.1, friction=None, probes=(), fields=(), **more):
    scene = {"dimension": dimension, "time": {"integrator": "quasi_static", "step": step, "duration": 1},
             "gravity": [0, 0, 0], "bodies": bodies, "output": {"fields": list(fields), "probes": list(probes)}}
    return scene | ({"friction": {"coefficient": friction}} if friction else {}) | more


def elastic(young, poisson=POISSON, model="linear_elasticity", density=1000):
    return {"model": model, "density": density, "youngs_modulus": young, "poisson_ratio": poisson}


def hold(group, components, displacement=None):
    motion = {"region": {"tags": [group]}, "components": [c in components for c in "xyz"]}
    return motion | ({"displacement": displacement} if displacement else {})


def body_of(name, young, motions, loads=(), gap=0.0, **more):
    """Returns a body whose mesh is a file of its name, with groups."""
    return {"name": name, "mesh": f"{name}.msh", "units": "m", "self_contact": False, "material": elastic(young),
            "motions": list(motions), "loads": list(loads), "transform": {"translation": [0, gap, 0]}} | more


def from_high_order(mesh):
    """Returns a mesh of linear elements of bench_high_order.py."""
    points = [tuple(p) + (0.0,) * (3 - mesh.dim) for p in mesh.points]
    return Mesh(points, [list(c) for c in mesh.cells], mesh.dim)


def files_of(**meshes):
    return {f"{name}.msh": mesh.gmsh() for name, mesh in meshes.items()}


def vertices_where(result, where):
    """Returns the numbers of the vertices that start where `where(x, y, z)` holds."""
    return [i for i, p in enumerate(result.points()) if where(*p)]


def vectors(result, name, vertices):
    flat = result.frame(-1)[name]
    return [tuple(flat[3 * v:3 * v + 3]) for v in vertices]


# --- friction of a block, belts ---


def slope():
    """NAFEMS CGS-4: a block is pushed horizontally up a slope."""
    rise, mu, size, young = 0.1, 0.3, (0.2, 0.1), 1e9
    angle = math.degrees(math.atan(rise))
    # The lower side of the block starts a tenth of a millimetre above the slope.
    lift = (size[1] / 2 + 1e-4) * math.sqrt(1 + rise ** 2)
    body = {"name": "block", "generator": {"kind": "rectangle", "size": list(size), "resolution": [8, 4]},
            "transform": {"rotation": angle, "translation": [0, lift]},
            "material": elastic(young, model="neo_hookean"),
            "motions": [{"region": {"box": [[0, -1], [0.01, 2]], "frame": "body"}, "components": [True, False, False],
                         "displacement": ["0.01 * t", "0", "0"]}]}
    scene = statics_scene([body], friction=mu, probes=[{"name": "push", "kind": "reaction", "body": "block"}],
                          half_spaces=[{"point": [0, 0, 0], "normal": [-rise, 1, 0]}]) | {"gravity": [0, -G, 0]}
    weight = 1000 * size[0] * size[1] * G
    return Problem("cgs4", "NAFEMS CGS-4, elastic block pushed up a slope, tan a = 0.1, friction 0.3",
                   "NAFEMS CGS-4", "push over weight", (rise + mu) / (1 - mu * rise), scene,
                   lambda result: result.probe("push.force.x [N]")[-1] / weight)


def band_mesh(radius, gap, thick, tail, around, along):
    """Band over three quarters of a drum: from (-tail, -radius) along the lower side, around, and down at the left."""
    lengths = [(-tail + tail * i / along, 0.0) for i in range(along)]
    lengths += [(0.0, 1.5 * math.pi * i / around) for i in range(around + 1)]
    lengths += [(tail * (i + 1) / along, 1.5 * math.pi) for i in range(along)]

    def place(index, depth):
        ahead, angle = lengths[round(index)]
        r, turn = radius + gap + depth, angle - math.pi / 2
        x, y = r * math.cos(turn), r * math.sin(turn)
        return x - math.sin(turn) * ahead, y + math.cos(turn) * ahead
    return grid([list(range(len(lengths))), [0.0, thick]], place)


def drum(radius, sides, name="drum", **more):
    corners = [[radius * math.cos(2 * math.pi * i / sides), radius * math.sin(2 * math.pi * i / sides), 0.0]
               for i in range(sides)]
    return {"name": name, "kind": "obstacle",
            "geometry": {"vertices": corners, "edges": [[i, (i + 1) % sides] for i in range(sides)]}} | more


def band_brake():
    """The drum turns against the clock and drags the band from its anchor at the lower left."""
    radius, mu, thick, tail, pull = 0.1, 0.3, 1e-3, 0.05, 1000.0
    mesh = band_mesh(radius, 2e-4, thick, tail, 90, 6)
    mesh.add_group("anchor", lambda x, y, z: x < -tail + TINY and y < -radius)
    mesh.add_group("end", lambda x, y, z: x < -radius and y < -tail + TINY)
    band = body_of("band", 2e8, [hold("anchor", "xy")],
                   [{"kind": "force", "region": {"tags": ["end"]},
                     "expression": ["0", f"-{pull} * min(1, t / 0.5)", "0"]}])
    band["material"] = elastic(2e8, model="neo_hookean")
    turning = drum(radius, 360, motions=[{"angular_velocity": [0, 0, 20], "center": [0, 0, 0], "start": 0.5}])
    scene = statics_scene([band, turning], step=0.05, friction=mu,
                          probes=[{"name": "anchor", "kind": "reaction", "body": "band"}])

    def torque(result):
        anchor = math.hypot(*(result.probe(f"anchor.force.{c} [N]")[-1] for c in "xy"))
        return radius * (anchor - pull)
    return Problem("band_brake",
                   "band brake over 270 degrees, friction 0.3: 90 cells around, the drum turns by 10 degrees",
                   "Euler 1769, Eytelwein 1808", "braking torque per metre, N",
                   radius * pull * (math.exp(mu * 1.5 * math.pi) - 1),
                   scene, torque, files_of(band=mesh))


# --- Hertz ---


def spheres():
    """Code_Aster SSNV104: quarters of two hemispheres whose bases approach by 2 x 2 mm."""
    radius, way, cells, gap = 0.05, 0.002, 4, 1e-5
    reach = math.sqrt(radius * 2 * way / 2)
    size = 1.4 * reach
    fan = high_order.Fan(3, cells, high_order.growing(cells, 2 * radius / size))
    mesh = from_high_order(high_order.mesh_of(fan, lambda p: high_order.onto_ball([size * x for x in p], radius), 1))
    mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("z0", lambda x, y, z: z < TINY)
    mesh.add_group("base", lambda x, y, z: y > radius - TINY)

    def half(name, sign):
        away = way + gap / 2
        motions = [hold("x0", "x"), hold("z0", "z"), hold("base", "xyz", ["0", f"{-sign * away!r} * t", "0"])]
        return body_of(name, 20e9, motions, mesh="half.msh",
                       transform={"scale": [1, sign, 1], "translation": [0, sign * gap / 2, 0]})
    right = 20e9 / (math.pi * (1 - POISSON ** 2)) * math.sqrt(2 * 2 * way / radius)
    scene = statics_scene([half("upper", 1), half("lower", -1)], 3, 0.2, fields=["contact_pressure"])

    def measure(result):
        middle = vertices_where(result, lambda x, y, z: math.hypot(x, y, z) < gap)
        pressures = result.frame(-1)["contact_pressure"]
        return math.fsum(pressures[v] for v in middle) / len(middle)
    return Problem("ssnv104", "two elastic spheres, 4 mm nearer, 6 cells over the contact radius",
                   "Code_Aster SSNV104 (Hertz)",
                   "pressure in the middle, Pa", right, scene, measure, files_of(half=mesh),
                   note="Hertz's theory has half-spaces, whose far parts move by 15 % of the approach; here the bases "
                        "are held at one radius. An estimate with this motion (Boussinesq) "
                        "gives about 3050 MPa. CalculiX was not tried.")


def roller_run():
    """Half of NAFEMS's first problem, without friction; returns scene and files."""
    parts = high_order.roller_parts(1, 8)
    roller, block = (from_high_order(part.mesh) for part in parts)
    top = high_order.roller_top(parts[0].mesh)
    roller.add_group("x0", lambda x, y, z: x < TINY)
    places = {roller.points[v] for v in top}
    roller.add_group("top", lambda *p: p in places)
    block.add_group("x0", lambda x, y, z: x < TINY)
    block.add_group("bottom", lambda x, y, z: y < -high_order.ROLLER["height"] + TINY)
    load = {"kind": "force", "region": {"tags": ["top"]},
            "expression": ["0", f"-{high_order.ROLLER['force']!r} * t", "0"]}
    bodies = [body_of("roller", STEEL, [hold("x0", "x")], [load], 2e-5),
              body_of("block", ALUMINIUM, [hold("x0", "x"), hold("bottom", "xy")])]
    scene = statics_scene(bodies, step=0.2, fields=["contact_pressure", "normal_force"])
    return scene, files_of(roller=roller, block=block)


def roller_contacts(result):
    """Returns (x, force, pressure) of the vertices on the block's upper side, by x."""
    found = vertices_where(result, lambda x, y, z: abs(y) < 1e-12 and x < 3 * high_order.ROLLER_REACH)
    pressures = result.frame(-1)["contact_pressure"]
    return sorted((result.points()[v][0], -f[1], pressures[v])
                  for v, f in zip(found, vectors(result, "normal_force", found)))


def roller():
    scene, files = roller_run()

    def reach(result):
        contacts = roller_contacts(result)
        return 2 * math.sqrt(math.fsum(f * x * x for x, f, _ in contacts) / math.fsum(f for _, f, _ in contacts))
    title = "NAFEMS contact 1, steel roller on aluminium, 6 cells over the half width"
    return [Problem("nafems1_pressure", title, f"{KONTER}, 1 (Hertz)", "largest pressure, Pa",
                    high_order.ROLLER_PRESSURE, scene, lambda result: max(p for _, _, p in roller_contacts(result)),
                    files,
                    note="Elements are quadratic by default in statics, and quadratic meshes that do not match press "
                         "unevenly. Linear ones are off by 0.5 %."),
            Problem("nafems1_reach", title, f"{KONTER}, 1 (Hertz)", "half width of contact, m", high_order.ROLLER_REACH,
                    scene, reach, files)]


# --- NAFEMS 2 ---


def punch_run(friction):
    """A quarter of NAFEMS's second problem: the punch is pressed by 100 MPa onto the base."""
    parts = high_order.punch_parts(1, 2, 1, 3)
    punch, base = (from_high_order(part.mesh) for part in parts)
    for mesh in (punch, base):
        mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("z0", lambda x, y, z: z < TINY)
    punch.add_group("top", lambda x, y, z: y > high_order.PUNCH["height"] - TINY)
    base.add_group("bottom", lambda x, y, z: y < -high_order.PUNCH["base_height"] + TINY)
    sides = [hold("x0", "x"), hold("z0", "z")]
    load = {"kind": "traction", "region": {"tags": ["top"]},
            "expression": ["0", f"-{high_order.PUNCH['pressure']!r} * t", "0"]}
    bodies = [body_of("punch", STEEL, sides, [load], 2e-5), body_of("base", ALUMINIUM, [*sides, hold("bottom", "xyz")])]
    scene = statics_scene(bodies, 3, 0.2, friction, fields=["contact_pressure", "displacement"],
                          probes=[{"name": "m", "kind": "position", "body": "base", "point": [0, 0, 0]}])
    return scene, files_of(punch=punch, base=base)


def punch(friction, drop, stress):
    scene, files = punch_run(friction)

    def sunk(result):
        values = result.probe("m.y [m]")
        return values[-1] - values[0]

    def pressure(result):
        middle = vertices_where(result, lambda x, y, z: math.hypot(x, y, z) < TINY)
        return -result.frame(-1)["contact_pressure"][middle[0]]
    name = f"nafems2_{friction:g}"
    title = f"NAFEMS contact 2, rounded steel punch on aluminium, friction {friction:g}, 3D"
    return [Problem(f"{name}_drop", title, f"{KONTER}, 2", "displacement of the base in the middle, m", drop, scene,
                    sunk,
                    files),
            Problem(f"{name}_stress", title, f"{KONTER}, 2", "stress in the middle of the contact, Pa", stress, scene,
                    pressure, files)]


# --- Cattaneo and Mindlin ---


def cattaneo(name, push):
    """A cylinder on a block of the same material, first pressed, then pushed sideways without sliding."""
    radius, young, reach, mu, half, height = 0.1, 2e9, 0.004, 0.3, 0.06, 0.06
    wide = fine_then_graded(reach / 6, 9, half, 1.35)
    deep = fine_then_graded(reach / 6, 2, height, 1.35)
    wide = [-x for x in wide[:0:-1]] + wide

    def curved(x, y):
        face = radius - math.sqrt(radius * radius - x * x)
        return x, face + y * (height - face) / height
    upper, lower = grid([wide, deep], curved), grid([wide, deep], lambda x, y: (1.03 * x, -y))
    upper.add_group("held", lambda x, y, z: y > height - TINY)
    lower.add_group("held", lambda x, y, z: y < -height + TINY)
    ways = [f"{push!r} * max(0, 2 * t - 1)", f"-{2.4e-4!r} * min(1, 2 * t)", "0"]
    bodies = [body_of("upper", young, [hold("held", "xy", ways)], gap=2e-5),
              body_of("lower", young, [hold("held", "xy")])]
    scene = statics_scene(bodies, step=0.05, friction=mu, fields=["normal_force", "friction_force"],
                          probes=[{"name": "top", "kind": "reaction", "body": "upper"}])

    def share(result):
        """Stick half width over that of contact, from the shear over the pressure in the middle: mu (1 - c / a)."""
        middle = vertices_where(result, lambda x, y, z: abs(y) < 1e-9 and abs(x) < 0.2 * reach)
        normal = math.fsum(f[1] for f in vectors(result, "normal_force", middle))
        shear = math.fsum(f[0] for f in vectors(result, "friction_force", middle))
        return 1 - abs(shear / normal) / mu

    def theory(result):
        push, press = (abs(result.probe(f"top.force.{c} [N]")[-1]) for c in "xy")
        return math.sqrt(1 - push / (mu * press))
    return Problem(name,
                   f"cylinder pressed onto a block and pushed sideways by {1e6 * push:.0f} um, friction 0.3, "
                   "6 cells over the half width",
                   "Cattaneo 1938, Mindlin 1949", "stick half width over that of contact", math.nan, scene, share,
                   files_of(upper=upper, lower=lower), right_of_run=theory,
                   note="Near full sliding the stick zone is one or two cells wide; a finer mesh was not tried.")


# --- fits and patches ---


def disc_mesh(inner, outer, rings, around):
    """Ring, or a disc if the inner radius is 0."""
    return grid([even(inner, outer, rings), even(0, math.pi / 2, around)],
                lambda r, a: (r * math.cos(a), r * math.sin(a)))


def shrink_fit():
    """Quarters of a solid steel shaft and an aluminium hub."""
    at, outer, excess, young = 0.05, 0.1, 1e-4, (STEEL, ALUMINIUM)
    shaft, hub = disc_mesh(0, at + excess, 8, 48), disc_mesh(at, outer, 8, 40)
    bodies = []
    for name, mesh, modulus in (("shaft", shaft, young[0]), ("hub", hub, young[1])):
        mesh.add_group("x0", lambda x, y, z: x < TINY).add_group("y0", lambda x, y, z: y < TINY)
        bodies.append(body_of(name, modulus, [hold("x0", "x"), hold("y0", "y")]))
    ratio, nu = (outer ** 2 + at ** 2) / (outer ** 2 - at ** 2), POISSON / (1 - POISSON)
    flat = [e / (1 - POISSON ** 2) for e in young]
    right = excess / (at * ((1 - nu) / flat[0] + (ratio + nu) / flat[1]))
    scene = statics_scene(bodies, step=1.0, fields=["normal_force"], start={"overlaps": "separate"})

    def pressure(result):
        """Sum of the radial forces on the hub over the quarter of the circle."""
        points, forces = result.points(), result.frame(-1)["normal_force"]
        outwards = [(p[0] * forces[3 * i] + p[1] * forces[3 * i + 1]) / math.hypot(*p)
                    for i, p in enumerate(points) if math.hypot(*p) > 1e-6]
        return math.fsum(f for f in outwards if f > 0) / (math.pi / 2 * at)
    return Problem("shrink_fit", "steel shaft in an aluminium hub, 100 um radial interference at 50 mm, plane strain",
                   "Lame 1852", "mean pressure, Pa", right, scene, pressure, files_of(shaft=shaft, hub=hub),
                   note="The flat sides of the two rings do not match. The error is 1.2 % with matching sides, and "
                        "3.0 % with twice as many sides.")


def patch():
    """Two blocks of a metre whose meshes do not match; the upper one is pressed down by 0.1 m."""
    young, gap = 2e6, 1e-4
    upper, lower = grid([even(0, 1, 7), even(0, 1, 7)], lambda x, y: (x, y)), grid([even(0, 1, 5), even(0, 1, 5)],
                                                                                   lambda x, y: (x, y - 1))
    for mesh, level in ((upper, 1), (lower, -1)):
        mesh.add_group("x0", lambda x, y, z: x < TINY)
        mesh.add_group("held", lambda x, y, z, level=level: abs(y - level) < TINY)
    bodies = [body_of("upper", young, [hold("x0", "x"), hold("held", "y", ["0", f"-{0.1 + gap!r} * t", "0"])], gap=gap),
              body_of("lower", young, [hold("x0", "x"), hold("held", "y")])]
    for body in bodies:
        body["material"]["poisson_ratio"] = 0.0
    scene = statics_scene(bodies, step=0.25, fields=["contact_pressure"])

    def farthest(result):
        face = vertices_where(result, lambda x, y, z: abs(y) < 2 * gap and 0.01 < x < 0.99)
        return max((result.frame(-1)["contact_pressure"][v] for v in face), key=lambda p: abs(p - 1e5))
    return Problem("patch", "contact patch test, blocks of 7 x 7 and 5 x 5 cells",
                   "Code_Aster SSNP121 (El-Abbasi and Bathe 2001)",
                   "pressure at the vertex where it is farthest off, Pa", 1e5, scene, farthest,
                   files_of(upper=upper, lower=lower),
                   note="Elements are quadratic by default in statics, and quadratic meshes that do not match press "
                        "unevenly. Linear ones are off by 0.05 %.")


# --- stiff bodies at rest ---


def groove():
    """Disc of 1 kg in a groove of 90 degrees."""
    radius, mass, gap = 0.1, 1.0, 1e-4
    body = {"name": "disc", "kind": "affine", "generator": {"kind": "disk", "size": [radius], "resolution": [16]},
            "mass": mass, "transform": {"translation": [0, (radius + gap) * math.sqrt(2)]}}
    scene = statics_scene([body], step=1.0, half_spaces=[{"normal": [1, 1, 0]}, {"normal": [-1, 1, 0]}],
                          probes=[{"name": "side", "kind": "contact", "bodies": ["disc", "half_spaces[0]"]}])
    scene["gravity"] = [0, -G, 0]
    return Problem("groove", "disc in a smooth groove of 90 degrees", "statics", "force of one side, N",
                   mass * G / math.sqrt(2),
                   scene, lambda result: math.hypot(*(result.probe(f"side.normal.{c} [N]")[-1] for c in "xy")))


def ladder(is_static):
    """Ladder on a rough floor against a smooth wall."""
    length, thick, angle, mass = 2.0, 0.02, 60.0, 10.0
    a = math.radians(angle)
    gap = 2e-4
    x = gap + length / 2 * math.cos(a) + thick / 2 * math.sin(a)
    y = gap + length / 2 * math.sin(a) + thick / 2 * math.cos(a)
    body = {"name": "ladder", "kind": "affine", "generator": {"kind": "rectangle", "size": [length, thick],
                                                              "resolution": [1]},
            "mass": mass, "transform": {"rotation": 180 - angle, "translation": [x, y]}}
    scene = statics_scene([body], step=1.0, half_spaces=[{"normal": [0, 1, 0], "friction": 0.5}, {"normal": [1, 0, 0]}],
                          probes=[{"name": "wall", "kind": "contact", "bodies": ["ladder", "half_spaces[1]"]}])
    scene["gravity"] = [0, -G, 0]
    if not is_static:
        scene["time"] = {"step": 0.01, "duration": 1}
    # It stands on the corner that is nearer to the wall, and leans on its upper end's lower corner.
    foot = length / 2 * math.cos(a) - thick / 2 * math.sin(a)
    head = length / 2 * math.sin(a) - thick / 2 * math.cos(a)
    rise = y - gap + head
    title = "ladder at 60 degrees on a rough floor, smooth wall, " + ("quasi-static" if is_static else "step 10 ms")
    return Problem("ladder" if is_static else "ladder_moving", title, "statics", "force of the wall, N",
                   mass * G * foot / rise, scene, lambda result: result.probe("wall.normal.x [N]")[-1],
                   note="The ladder turned by 60 degrees, as if it lay flat. Steps of 0.1 give the same. The motion "
                        "with inertia is right." if is_static else "")


def problems():
    return [slope(), band_brake(), spheres(), *roller(), *punch(0.0, -0.1307341e-3, -91.1006e6),
            *punch(0.1, -0.1285802e-3, -88.665e6), cattaneo("cattaneo", 5e-5), cattaneo("cattaneo_near_slip", 1e-4),
            shrink_fit(), patch(), groove(), ladder(True),
            ladder(False)]
