"""Statics of bars, beams, columns, pipes and plates, without contact."""

import math

from physics.case import G

from .draw import BENDING, STATICS, face, growing, held, moved, node_at, position
from .meshes import ring
from .theory import elastica, lame_displacement, neo_hookean_stress, plane_modulus

MOST_TETRAHEDRA = 1000


def strip(d, name, length, slenderness, dimension, along=0):
    """Draws the grid of a slender box; returns its body without conditions, and its thickness. `along`: its axis."""
    thickness = length / slenderness
    cells = d.cells("cells_through", 1, 6 if dimension == 2 else 3, 1.0)
    aspect = d.pick("aspect_of_cells", (1, 1, 2, 4))
    most = 900 // cells if dimension == 2 else MOST_TETRAHEDRA // (6 * cells**2)
    count = 2 * max(4, round(min(slenderness * cells / (1 if d.is_fine else aspect), most) / 2))
    size, resolution = [thickness] * dimension, [cells] * dimension
    size[along], resolution[along] = length, count
    kind = "rectangle" if dimension == 2 else "box"
    return {"name": name, "generator": {"kind": kind, "size": size, "resolution": resolution}}, thickness


def static_scene(d, bodies, probes, dimension=3, gravity=(0, 0, 0), **more):
    scene = {"gravity": list(gravity), "time": d.static_time(), "bodies": bodies, "output": {"probes": probes}, **more}
    return {"dimension": 2, **scene} if dimension == 2 else scene


def second_moment(thickness, dimension):
    """Returns that of a square section [m^4], in 2D of a strip one metre deep."""
    return thickness**3 * (thickness if dimension == 3 else 1.0) / 12


def cantilever(d):
    """A force on the end of a clamped beam: how far the end sinks over the length (elastica, and shear)."""
    dimension, length, slenderness = d.pick("dimension", (2, 3)), d.length(5e-3), d.between("slenderness", 10, 40)
    young, poisson = d.young(), d.poisson()
    # The largest strain at the root is about a / (2 slenderness).
    load = d.note("load", min(d.log("load", 0.02, 5.0), 0.06 * slenderness))
    body, thickness = strip(d, "beam", length, slenderness, dimension)
    rigidity = plane_modulus(young, poisson, dimension) * second_moment(thickness, dimension)
    force = load * rigidity / length**2
    area = thickness ** (dimension - 1)
    shear = 1.2 * force * 2 * (1 + poisson) / (young * area)
    loads = [growing("force", [0, -force, 0], face(0, 1))]
    body |= {"material": d.material(young, poisson), "motions": [held(face(0, 0))], "loads": loads, **d.order()}
    expected = -elastica(across=-load)[1] + shear
    scene = static_scene(d, [body], [position("tip", "beam", region=face(0, 1))], dimension)
    return d.problem(scene, expected, lambda run: -run.moved("tip.y [m]") / length, STATICS)


def beam_column(d):
    """A clamped column under a share of Euler's load and a small side load on its end: how far the end goes aside."""
    dimension, length, slenderness = d.pick("dimension", (2, 3)), d.length(5e-3), d.between("slenderness", 15, 50)
    young, poisson = d.young(), d.poisson()
    share, level = d.between("share_of_euler", 0.2, 0.75), d.log("level", 0.003, 0.1)
    side = 3 * level * (1 - share)  # deflection over length is about side / 3 / (1 - share), side in EI / L^2
    body, thickness = strip(d, "column", length, slenderness, dimension, along=1)
    rigidity = plane_modulus(young, poisson, dimension) * second_moment(thickness, dimension)
    unit = rigidity / length**2
    load = [side * unit, -share * math.pi**2 / 4 * unit, 0]
    body |= {"material": d.material(young, poisson), "motions": [held(face(1, 0))],
             "loads": [growing("force", load, face(1, 1))], **d.order()}
    expected = elastica(along=-share * math.pi**2 / 4, across=side)[1]
    scene = static_scene(d, [body], [position("top", "column", region=face(1, 1))], dimension)
    return d.problem(scene, expected, lambda run: run.moved("top.x [m]") / length, STATICS)


def buckling(d):
    """A column between two clamps that approach: the load is Euler's 4 pi^2 EI / L^2, and grows by half the
    shortening afterwards."""
    dimension, length, slenderness = d.pick("dimension", (2, 2, 3)), d.length(5e-3), d.between("slenderness", 20, 50)
    young, poisson = d.young(), d.poisson()
    body, thickness = strip(d, "column", length, slenderness, dimension, along=1)
    critical_strain = 4 * math.pi**2 / 12 / slenderness**2
    shortening = d.note("shortening", critical_strain * d.between("times_critical", 2.0, 5.0))
    rigidity = plane_modulus(young, poisson, dimension) * second_moment(thickness, dimension)
    euler = 4 * math.pi**2 * rigidity / length**2
    body |= {"material": d.material(young, poisson), **d.order(),
             "motions": [held(face(1, 0)), moved(face(1, 1), [0, -shortening * length, 0])],
             "loads": [{"kind": "force", "value": [2e-3 * euler, 0, 0]}]}
    probe = {"name": "top", "kind": "reaction", "body": "column", "region": face(1, 1)}
    scene = static_scene(d, [body], [probe], dimension)
    scene["time"] = d.static_time((5, 10, 20), 5)
    expected = euler * (1 + shortening / 2)
    return d.problem(scene, expected, lambda run: -run.last("top.force.y [N]"), STATICS)


def slides(dimension):
    """Returns motions that hold a bar at its lower x end without hindering its sides."""
    motions = [held(face(0, 0), 0)]
    if dimension == 2:
        return [*motions, held(node_at(0, 0), 1)]
    return [*motions, held(node_at(0, 0, 0), 1, 2), held(node_at(0, 1, 0), 2)]


def tension(d):
    """A bar of rubber or steel, pulled or pressed, free sideways: its force at a stretch (neo-Hooke)."""
    dimension, length, slenderness = d.pick("dimension", (2, 3)), d.length(), d.between("slenderness", 2, 20)
    young, poisson = d.young(), d.poisson()
    change = d.log("strain", 1e-3, 1.0) * d.pick("sign", (1, 1, -0.2))
    # A bar that is pressed between its guided ends buckles sideways at a strain of pi^2 / 12 slenderness^2.
    stretch = d.note("stretch", 1 + max(change, -0.5 * math.pi**2 / 12 / slenderness**2))
    body, thickness = strip(d, "bar", length, slenderness, dimension)
    force = neo_hookean_stress(young, poisson, stretch, dimension - 1) * thickness ** (dimension - 1)
    if d.pick("given", ("stretch", "force")) == "stretch":
        motion = moved(face(0, 1), [(stretch - 1) * length, 0, 0], 0)
        conditions = {"motions": [*slides(dimension), motion]}
        probe = {"name": "end", "kind": "reaction", "body": "bar", "region": face(0, 1)}
        expected, measure = force, lambda run: run.last("end.force.x [N]")
    else:
        if stretch < 1:
            stretch = 1 + (1 - stretch)
            force = neo_hookean_stress(young, poisson, stretch, dimension - 1) * thickness ** (dimension - 1)
        conditions = {"motions": slides(dimension), "loads": [growing("force", [force, 0, 0], face(0, 1))]}
        probe = position("end", "bar", region=face(0, 1))
        expected, measure = stretch - 1, lambda run: run.moved("end.x [m]") / length
    body |= {"material": d.material(young, poisson), **conditions, **d.order()}
    return d.problem(static_scene(d, [body], [probe], dimension), expected, measure, STATICS)


def hanging_bar(d):
    """A bar that hangs from its end under its own weight: rho g L^2 / 2E."""
    dimension, length, slenderness = d.pick("dimension", (2, 3)), d.length(), d.between("slenderness", 5, 20)
    density, poisson = d.density(), d.poisson()
    strain = d.log("strain", 1e-6, 0.02)
    young = d.note("young", min(2e11, max(1e4, density * G * length / 2 / strain)))
    body, _ = strip(d, "bar", length, slenderness, dimension)
    body |= {"material": d.material(young, poisson, density), "motions": slides(dimension), **d.order()}
    scene = static_scene(d, [body], [position("end", "bar", region=face(0, 1))], dimension, gravity=(G, 0, 0))
    modulus = plane_modulus(young, poisson, dimension)
    expected = density * G * length / 2 / modulus
    return d.problem(scene, expected, lambda run: run.moved("end.x [m]") / length, STATICS)


def pipe(d):
    """A quarter of a thick pipe in plane strain under inner pressure: how far its inside moves out (Lame)."""
    outer = d.length()
    inner = d.note("inner", outer * d.between("inner_over_outer", 0.3, 0.92))
    young, poisson, strain = d.young(), d.poisson(), d.log("strain", 1e-5, 3e-3)
    pressure = young * strain * (1 - inner / outer)
    rings, around = d.cells("cells_through", 1, 6), d.cells("cells_around", 8, 30)
    inside = {"nodes": list(range(around + 1))}
    tiny = 1e-6 * outer
    motions = [held({"box": [[-tiny, -tiny, -1], [2 * outer, tiny, 1]]}, 1),
               held({"box": [[-tiny, -tiny, -1], [tiny, 2 * outer, 1]]}, 0)]
    body = {"name": "pipe", "geometry": ring(inner, outer, rings, around, 90.0), "motions": motions,
            "material": d.material(young, poisson), **d.order(),
            "loads": [{"kind": "pressure", "pressure": f"{pressure:.12g} * t", "region": inside}]}
    scene = static_scene(d, [body], [position("inside", "pipe", point=[inner, 0, 0])], 2)
    expected = lame_displacement(pressure, inner, outer, young, poisson)
    return d.problem(scene, expected, lambda run: run.moved("inside.x [m]"), STATICS)


def torsion(d):
    """A square bar whose end is turned: torque 0.1406 G a^4 per twist (Saint-Venant)."""
    length, slenderness, young, poisson = d.length(5e-3), d.between("slenderness", 8, 20), d.young(), d.poisson()
    body, side = strip(d, "bar", length, slenderness, 3)
    turn = d.note("turn", min(d.log("turn", 0.2, 60.0), math.degrees(0.05 * slenderness)))
    motion = {"region": face(0, 1), "angular_velocity": [turn, 0, 0]}
    body |= {"material": d.material(young, poisson), "motions": [held(face(0, 0)), motion], **d.order()}
    probe = {"name": "end", "kind": "reaction", "body": "bar", "region": face(0, 1)}
    expected = 0.1406 * young / 2 / (1 + poisson) * side**4 * math.radians(turn) / length
    return d.problem(static_scene(d, [body], [probe]), expected, lambda run: run.last("end.torque.x [N m]"), STATICS)


def plate(d):
    """A clamped square plate under pressure: its middle sinks by 0.001265 q a^4 / D, and by shear (Mindlin)."""
    side, slenderness = d.length(5e-3), d.between("side_over_thickness", 20, 50)
    young, poisson = d.young(), d.pick("poisson", (0.0, 0.2, 0.3, 0.3, 0.4))
    thickness, sag = side / slenderness, d.log("sag_over_thickness", 1e-3, 0.15)
    cells, through = 2 * d.cells("cells_half", 3, 6, 1.2), d.whole("cells_through", 1, 2)
    rigidity = young * thickness**3 / 12 / (1 - poisson**2)
    shear = 1 + 13.3 / (1 - poisson) / slenderness**2
    pressure = sag * thickness * rigidity / (0.001265 * side**4)
    rims = [face(0, 0), face(0, 1), face(2, 0), face(2, 1)]
    through = 1 if d.is_fine else through
    body = {"name": "plate", "motions": [held(rim) for rim in rims], "material": d.material(young, poisson),
            "generator": {"kind": "mat", "size": [side, thickness, side], "resolution": [cells, through, cells]},
            "loads": [{"kind": "pressure", "pressure": f"{pressure:.12g} * t", "region": face(1, 1)}], **d.order()}
    if d.is_fine:
        body["order"] = 3
    scene = static_scene(d, [body], [position("middle", "plate", point=[0, 0, 0])])
    measure = lambda run: -run.moved("middle.y [m]") / thickness
    return d.problem(scene, sag * shear, measure, BENDING)


KINDS = (cantilever, beam_column, buckling, tension, hanging_bar, pipe, torsion, plate)
