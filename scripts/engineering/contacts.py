"""Statics of bodies in contact."""

import math

from .beams import second_moment, static_scene
from .draw import STATIC_CONTACT, held, moved, node_at, position
from .meshes import belt, dome, polygon, ring, round_block
from .theory import fit_pressure, neo_hookean_stress, plane_modulus


def contact_probe(first, second):
    return {"name": "contact", "kind": "contact", "bodies": [first, second]}


def with_fields(scene, *names):
    scene["output"]["fields"] = list(names)
    return scene


def hertz_line(d):
    """A cylinder pressed on a plane, 2D: largest pressure over the root of the force, sqrt(E* / pi R) (Johnson 4.2)."""
    radius, young, poisson = d.length(), d.young(), d.pick("poisson", (0.2, 0.3, 0.3, 0.4))
    half = d.note("half_width", radius * d.between("patch_over_radius", 0.01, 0.04))
    cells = d.cells("cells_in_half", 4, 10, 2.0)
    star = young / (1 - poisson**2)
    width, height = 7 * half, 8 * half
    # Approach of a half-space's surface over a depth, a^2 / 4R (2 ln(2 depth / a) - nu / (1 - nu)) (Johnson 5.57).
    approach = half**2 / 4 / radius * (2 * math.log(2 * height / half) - poisson / (1 - poisson))
    gap = d.log("gap", 0.01, 0.3) * approach
    geometry = round_block(radius, width, height, half / cells, 1.3, cells + 2)
    top = {"box": [[-radius, gap + height * (1 - 1e-6), -1], [radius, radius + gap, 1]]}
    body = {"name": "roller", "geometry": geometry, "transform": {"translation": [0, gap, 0]},
            "material": d.material(young, poisson), "motions": [moved(top, [0, -approach - gap, 0])], **d.order()}
    scene = static_scene(d, [body], [contact_probe("roller", "half_spaces[0]")], 2, half_spaces=[{"point": [0, 0, 0]}],
                         **d.contact())
    expected = math.sqrt(star / math.pi / radius)

    def measure(run):
        return max(run.field("contact_pressure")) / math.sqrt(run.last("contact.normal.y [N]"))
    return d.problem(with_fields(scene, "contact_pressure"), expected, measure, STATIC_CONTACT)


def hertz_ball(d):
    """A quarter of a ball pressed on a plane: largest pressure over F^(1/3), (6 E*^2 / pi^3 R^2)^(1/3) (Johnson)."""
    radius, young, poisson = d.length(), d.young(), d.pick("poisson", (0.2, 0.3, 0.3, 0.4))
    patch = d.note("patch", radius * d.between("patch_over_radius", 0.015, 0.05))
    cells = d.cells("cells_in_patch", 3, 4, 1.3)
    width = height = 5 * patch
    approach = patch**2 / radius * 0.9
    gap = d.log("gap", 0.01, 0.3) * approach
    tiny = 1e-6 * patch
    below = gap + height - tiny
    motions = [moved({"box": [[-1, below, -1], [1e2, 1e2, 1e2]]}, [0, -approach - gap, 0]),
               held({"box": [[-tiny, -1, -1], [tiny, below, 1e2]]}, 0),
               held({"box": [[-1, -1, -tiny], [1e2, below, tiny]]}, 2)]
    body = {"name": "ball", "geometry": dome(radius, width, height, patch / cells, cells, 1.6),
            "transform": {"translation": [0, gap, 0]}, "material": d.material(young, poisson), "motions": motions,
            **d.order()}
    scene = static_scene(d, [body], [contact_probe("ball", "half_spaces[0]")], half_spaces=[{"point": [0, 0, 0]}],
                         **d.contact())
    scene["time"] = d.static_time((1, 1, 2), 1)
    star = young / (1 - poisson**2)
    expected = (6 * star**2 / math.pi**3 / radius**2) ** (1 / 3)

    def measure(run):
        return max(run.field("contact_pressure")) / (4 * run.last("contact.normal.y [N]")) ** (1 / 3)
    return d.problem(with_fields(scene, "contact_pressure"), expected, measure, STATIC_CONTACT)


def ring_body(d, name, radii, rings, around, young, poisson, far):
    """Returns a ring held at three nodes of its far side so that it can only breathe."""
    tiny = 1e-5 * far
    motions = [held({"box": [[s * far - tiny, -tiny, -1], [s * far + tiny, tiny, 1]]}, 1) for s in (1, -1)]
    motions.append(held({"box": [[-tiny, -far - tiny, -1], [tiny, -far + tiny, 1]]}, 0))
    return {"name": name, "geometry": ring(*radii, rings, around), "material": d.material(young, poisson),
            "motions": motions}


def press_fit(d):
    """A ring pressed into another one, plane strain, which overlap at the start: mean pressure (Lame)."""
    at = d.length()
    inner = d.note("inner", at * d.between("inner_over_joint", 0.3, 0.8))
    outer = d.note("outer", at / d.between("joint_over_outer", 0.4, 0.85))
    overlap = d.note("interference", at * d.log("interference_over_radius", 1e-4, 5e-3))
    hub, shaft = ((d.young(1e6), d.pick("poisson", (0.2, 0.3, 0.4))) for _ in range(2))
    around = 4 * d.cells("cells_around", 12, 24)
    bodies = [ring_body(d, "hub", (at, outer), d.cells("rings", 2, 6), around, *hub, outer),
              ring_body(d, "shaft", (inner, at + overlap), d.cells("rings", 2, 6), around, *shaft, inner)]
    scene = static_scene(d, bodies, [{"name": "gap", "kind": "gap", "bodies": ["hub", "shaft"]}], 2,
                         start={"overlaps": "separate"}, **d.contact())
    expected = fit_pressure(overlap, (inner, at, outer), hub, shaft)

    def measure(run):
        pressed = [p for p in run.field("contact_pressure") if p > 0]
        return sum(pressed) / len(pressed)
    return d.problem(with_fields(scene, "contact_pressure"), expected, measure, STATIC_CONTACT)


def pad_body(d, name, width, height, dimension, young, poisson, below):
    """Returns a pad above the plane y = 0 that is held in place by its lowest middle nodes."""
    across, up = 2 * d.cells("cells_across_half", 1, 4), d.cells("cells_through", 1, 6)
    up = up if dimension == 2 else min(up, 3)
    generator = {"kind": "box", "size": [width, height, width], "resolution": [across, up, across]}
    motions = [held(node_at(0.5, 0, 0.5), 0, 2), held(node_at(1, 0, 0.5), 2)]
    if dimension == 2:
        generator = {"kind": "rectangle", "size": [width, height], "resolution": [across, up]}
        motions = [held(node_at(0.5, 0), 0)]
    return {"name": name, "generator": generator, "transform": {"translation": [0, below + height / 2, 0]},
            "material": d.material(young, poisson), "motions": motions, **d.order()}


def pad(d):
    """A pad between two smooth plates that approach: its force (neo-Hooke)."""
    dimension, height = d.pick("dimension", (2, 3)), d.length()
    width = height * d.log("width_over_height", 0.5, 8.0)
    young, poisson, squeeze = d.young(), d.poisson(), d.log("squeeze", 1e-3, 0.3)
    gap = height * d.log("gap", 1e-4, 1e-2)
    body = pad_body(d, "pad", width, height, dimension, young, poisson, gap)
    across = [1.5 * width, 0.2 * width] + [1.5 * width] * (dimension - 2)
    motion = {"displacement": ["0", f"{-2 * gap - squeeze * height:.12g} * t", "0"]}
    top = {"name": "plate", "kind": "obstacle", "motions": [motion],
           "generator": {"kind": "rectangle" if dimension == 2 else "box", "size": across, "resolution": [1]},
           "transform": {"translation": [0, height + 2 * gap + 0.1 * width, 0]}}
    scene = static_scene(d, [body, top], [contact_probe("pad", "plate")], dimension,
                         half_spaces=[{"point": [0, 0, 0]}], **d.contact())
    area = width ** (dimension - 1)
    expected = -neo_hookean_stress(young, poisson, 1 - squeeze, dimension - 1) * area
    return d.problem(scene, expected, lambda run: -run.last("contact.normal.y [N]"), STATIC_CONTACT)


def loaded_pad(d):
    """A pad on the floor under a plate with a force on it: how far the plate goes down (neo-Hooke)."""
    height = d.length()
    width = height * d.log("width_over_height", 0.5, 8.0)
    young, poisson, squeeze = d.young(), d.poisson(), d.log("squeeze", 1e-3, 0.3)
    gap = height * d.log("gap", 1e-5, 1e-3)
    force = -neo_hookean_stress(young, poisson, 1 - squeeze, 2) * width**2
    body = pad_body(d, "pad", width, height, 3, young, poisson, gap)
    plate = {"name": "plate", "kind": d.pick("plate", ("rigid", "affine")), "fixed_translation": [True, False, True],
             "generator": {"kind": "box", "size": [1.2 * width, 0.1 * width, 1.2 * width], "resolution": [1]},
             "transform": {"translation": [0, height + 2 * gap + 0.05 * width, 0]}, "fixed_rotation": True,
             "loads": [{"kind": "force", "expression": ["0", f"{-force:.12g} * t", "0"]}]}
    scene = static_scene(d, [body, plate], [position("plate", "plate")], half_spaces=[{"point": [0, 0, 0]}],
                         **d.contact())
    return d.problem(scene, squeeze * height, lambda run: -run.moved("plate.y [m]") - 2 * gap, STATIC_CONTACT)


def sag_of_load(length, hang, thickness, young, poisson):
    """Returns how far the middle of a beam on two supports, beyond which it hangs over, sinks under a unit of load per
    length, in plane strain, by bending and by shear."""
    rigidity = plane_modulus(young, poisson, 2) * second_moment(thickness, 2)
    bend = 5 * length**4 / 384 - hang**2 * length**2 / 16
    return bend / rigidity + 1.2 * length**2 / 8 * 2 * (1 + poisson) / young / thickness


def round_support(name, x, top, radius):
    return {"name": name, "kind": "obstacle", "geometry": polygon(radius, 96),
            "transform": {"translation": [x, top - radius, 0], "rotation": 90}}


def supported_beam(d):
    """A beam on two round supports under its weight or more: its middle below its supports, 5 q L^4 / 384 EI, less for
    what hangs over, more for shear."""
    length, slenderness = d.length(5e-3), 10 * d.whole("tenth_of_slenderness", 1, 3)
    young, poisson, sag = d.young(), d.poisson(), d.log("sag", 1e-5, 0.01)
    thickness = length / slenderness
    cells = d.cells("cells_through", 1, 6)
    per_thickness = max(1, min(2, cells // 2))
    count, over = slenderness * per_thickness, 2 * per_thickness
    count += count % 2
    hang = over * length / count
    density = d.density()
    gravity = sag * length / sag_of_load(length, hang, thickness, young, poisson) / density / thickness
    gap = thickness * d.log("gap", 1e-4, 2e-3)
    total = length + 2 * hang
    beam = {"name": "beam", "material": d.material(young, poisson, density), "motions": [held(node_at(0.5, 0), 0)],
            "generator": {"kind": "rectangle", "size": [total, thickness], "resolution": [count + 2 * over, cells]},
            **d.order()}
    supports = [round_support(name, x, -thickness / 2 - gap, 0.5 * thickness)
                for name, x in (("left", -length / 2), ("right", length / 2))]
    probes = [position(name, "beam", point=[x, thickness / 2, 0])
              for name, x in (("a", -length / 2), ("middle", 0), ("b", length / 2))]
    scene = static_scene(d, [beam, *supports], probes, 2, gravity=(0, -gravity, 0), **d.contact())

    def measure(run):
        ends = (run.moved("a.y [m]") + run.moved("b.y [m]")) / 2
        return (ends - run.moved("middle.y [m]")) / length
    return d.problem(scene, sag, measure, STATIC_CONTACT)


def belt_ends(count, load, pull, first=0.2):
    """Returns the load on the left end of a belt, which grows until t = 0.2, and the motion of its right end after."""
    return {"loads": [{"kind": "force", "expression": ["0", f"{-load:.12g} * min(1, t / {first})", "0"],
                       "region": {"nodes": [0, 1]}}],
            "motions": [{"region": {"nodes": [count - 2, count - 1]},
                         "displacement": [*(f"{p:.12g} * max(0, t - {first})" for p in pull), "0"]}]}


def capstan(d):
    """A belt over a fixed drum, pulled at one end against a load at the other: e^(mu angle), and what bending takes
    and the pull of the belt's middle line."""
    radius, angle = d.length(0.01), d.pick("angle", (90, 120, 180))
    friction = d.between("friction", 0.1, 0.4)
    thickness, young = radius * d.between("thickness", 0.01, 0.03), d.young(1e7)
    strain, poisson = d.log("strain", 1e-3, 5e-3), d.pick("poisson", (0.0, 0.3))
    load = young * strain * thickness
    gap, tail = 0.002 * radius, radius
    around, along = d.cells("cells_around", angle // 4, angle // 2), 12
    geometry = belt(radius + gap, thickness, angle, tail, around, along)
    turn = math.radians(180 - angle)
    out = (math.sin(turn), -math.cos(turn))
    body = {"name": "belt", "geometry": geometry, "material": d.material(young, poisson), **d.order(),
            **belt_ends(len(geometry["vertices"]), load, [0.15 * radius * o for o in out])}
    drum = {"name": "drum", "kind": "obstacle", "geometry": polygon(radius, 360)}
    scene = {"dimension": 2, "gravity": [0, 0], "friction": {"coefficient": friction}, "bodies": [body, drum],
             "time": d.static_time((10, 20), 20), **d.contact(),
             "output": {"probes": [{"name": "pull", "kind": "reaction", "body": "belt"}]}}
    bend = plane_modulus(young, poisson, 2) * thickness**3 / 12 / radius**2 / load
    expected = math.exp(friction * math.radians(angle)) + bend

    def measure(run):
        return (run.last("pull.force.x [N]") * out[0] + run.last("pull.force.y [N]") * out[1]) / load
    return d.problem(scene, expected, measure, STATIC_CONTACT)


KINDS = (hertz_line, hertz_ball, press_fit, pad, loaded_pad, supported_beam, capstan)
