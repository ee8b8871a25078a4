"""Dynamics: sliding, rolling, impacts, vibrations, mechanisms."""

import math

from physics.case import G

from .beams import strip
from .draw import FRICTION, IMPACT, MOTION, ROLLING, face, held, position
from .run import crossing_times, first_peak
from .theory import plane_modulus

STIFF = ("rigid", "affine")


def moving_scene(time, bodies, probes, dimension=3, **more):
    scene = {"time": time, "bodies": bodies, "output": {"probes": probes}, **more}
    return {"dimension": 2, **scene} if dimension == 2 else scene


def block_body(d, name, size):
    """Draws a box, stiff or elastic (then hard enough to keep its shape under its weight)."""
    kind = d.pick("body", ("rigid", "affine", "deformable"))
    body = {"name": name, "kind": kind, "generator": {"kind": "box", "size": size, "resolution": [1]}}
    density = d.density()
    body["material"] = {"density": density}
    if kind == "deformable":
        young = max(d.young(), density * G * max(size) * 2e3)
        body["material"] = d.material(young, d.poisson(), density)
        body["generator"]["resolution"] = [d.whole("cells", 1, 2)]
        body |= d.order()
    return body


def incline(d):
    """A block on a slope that slides down or stays."""
    length, angle = d.length(), d.between("angle", 5, 40)
    slope = math.radians(angle)
    friction = d.note("friction", math.tan(slope) * d.pick("friction_over_tan", (0.0, 0.3, 0.6, 0.8, 1.1, 1.5)))
    pull = G * (math.sin(slope) - friction * math.cos(slope))
    distance = length * d.log("distance", 0.5, 5.0)
    time = d.time(math.sqrt(2 * distance / max(pull, 0.1 * G)))
    height, gap = length * d.between("flatness", 0.2, 0.5), length * d.log("gap", 1e-5, 1e-3)
    body = block_body(d, "block", [length, height, length])
    lift = height / 2 + gap
    normal = [math.sin(slope), math.cos(slope), 0]
    body["transform"] = {"rotation": [0, 0, -angle], "translation": [lift * n for n in normal]}
    scene = moving_scene(time, [body], [position("block", "block")], friction={"coefficient": friction},
                         half_spaces=[{"point": [0, 0, 0], "normal": normal}], **d.contact())

    def measure(run):
        return run.moved("block.x [m]") * math.cos(slope) - run.moved("block.y [m]") * math.sin(slope)
    expected = max(0.0, pull) * d.end**2 / 2
    return d.problem(scene, expected, measure, FRICTION, 0.0 if expected else 0.2 * length)


def braking(d):
    """A block that slides on the floor until friction has stopped it: v^2 / 2 mu g."""
    length, friction = d.length(), d.between("friction", 0.1, 0.8)
    distance = length * d.log("distance", 0.5, 5.0)
    speed = math.sqrt(2 * friction * G * distance)
    time = d.time(1.3 * speed / friction / G)
    height, gap = length * d.between("flatness", 0.2, 0.4), length * d.log("gap", 1e-5, 1e-3)
    body = block_body(d, "block", [length, height, length])
    body |= {"transform": {"translation": [0, height / 2 + gap, 0]}, "linear_velocity": [speed, 0, 0]}
    scene = moving_scene(time, [body], [position("block", "block")], friction={"coefficient": friction},
                         half_spaces=[{"point": [0, 0, 0]}], **d.contact())
    return d.problem(scene, distance, lambda run: run.moved("block.x [m]"), FRICTION)


def projectile(d):
    """A thrown box: how far it has flown when it is as high as at the start, and from there on how high it was."""
    size, angle = d.length(), d.between("angle", 20, 80)
    speed = math.sqrt(G * size * d.log("range", 3, 100))
    rise = speed * math.sin(math.radians(angle))
    time = d.time(2 * rise / G, 6, 300)
    body = block_body(d, "box", [size, size, size])
    along = speed * math.cos(math.radians(angle))
    body["linear_velocity"] = [along, rise, 0]
    floor = min(-3 * size, rise * d.end - G * d.end**2 / 2 - 2 * size)
    scene = moving_scene(time, [body], [position("box", "box")], half_spaces=[{"point": [0, floor, 0]}],
                         **d.contact())
    if d.pick("measured", ("peak", "range")) == "peak":
        expected = rise**2 / 2 / G
        return d.problem(scene, expected, lambda run: first_peak(run.pairs("box.y [m]"))[1], MOTION)
    at_end = d.end
    expected = rise * at_end - G * at_end**2 / 2
    measure = lambda run: run.moved("box.y [m]")
    return d.problem(scene, expected, measure, MOTION, rise**2 / 2 / G)


def bounce(d):
    """A stiff ball falls on the floor and rebounds by its restitution: e^2 h."""
    radius, restitution = d.length(), d.between("restitution", 0.2, 1.0)
    height = radius * d.log("height", 1, 30)
    fall = math.sqrt(2 * height / G)
    time = d.time((1 + 1.3 * restitution) * fall, 12, 500)
    body = {"name": "ball", "kind": d.pick("body", STIFF), "material": {"density": d.density()},
            "generator": {"kind": "sphere", "size": [radius], "resolution": [d.whole("layers", 2, 5)]},
            "transform": {"translation": [0, radius + height, 0]}}
    scene = moving_scene(time, [body], [position("ball", "ball")], half_spaces=[{"point": [0, 0, 0]}],
                         **d.contact(restitution=restitution))

    def measure(run):
        heights = run.pairs("ball.y [m]")
        after = [y for t, y in heights if t > 0.7 * fall]
        low = min(range(len(after)), key=lambda i: after[i])
        # A ball of few layers is lower than its radius where it stands on a facet: its rebound is a part of its fall.
        return height * (max(after[low:]) - after[low]) / (heights[0][1] - after[low])
    return d.problem(scene, restitution**2 * height, measure, IMPACT)


def collision(d):
    """A stiff box hits another one in the middle: speed of either afterwards."""
    size, restitution = d.length(), d.pick("restitution", (0.0, 0.3, 0.7, 1.0))
    masses = [d.log(f"mass_{i}", 0.1, 10.0) for i in "ab"]
    speeds = [d.note("speed_a", math.sqrt(G * size) * d.log("froude", 0.1, 10.0)), 0.0]
    speeds[1] = d.note("speed_b", speeds[0] * d.pick("speed_b_over_a", (0.0, 0.0, -0.5, 0.3)))
    time = d.time(3 * size / (speeds[0] - speeds[1]), 6, 200)
    kind = d.pick("body", STIFF)
    bodies = [{"name": name, "kind": kind, "mass": mass, "linear_velocity": [speed, 0, 0],
               "generator": {"kind": "box", "size": [size] * 3, "resolution": [1]},
               "transform": {"translation": [x, 0, 0]}}
              for name, mass, speed, x in zip("ab", masses, speeds, (0.0, 2 * size))]
    probes = [{"name": name, "kind": "velocity", "body": name} for name in "ab"]
    scene = moving_scene(time, bodies, probes, gravity=[0, 0, 0], **d.contact(restitution=restitution))
    mean = sum(m * v for m, v in zip(masses, speeds)) / sum(masses)
    approach = restitution * (speeds[0] - speeds[1])
    which = d.pick("which", "ab")
    other, sign = (masses[1], -1) if which == "a" else (masses[0], 1)
    expected = mean + sign * other / sum(masses) * approach
    return d.problem(scene, expected, lambda run: run.last(f"{which}.x [m/s]"), IMPACT, abs(speeds[0]))


def pendulum(d):
    """A rod on a hinge at its end: period by the arithmetic-geometric mean (Gauss)."""
    length, amplitude = d.length(), d.log("amplitude", 2, 120)
    mean, other = 1.0, math.cos(math.radians(amplitude) / 2)
    for _ in range(20):
        mean, other = (mean + other) / 2, math.sqrt(mean * other)
    thin = 0.02 * length
    period = 2 * math.pi * math.sqrt(2 * length / 3 / G * (1 + 0.02**2)) / mean
    time = d.time(2.6 * period, 20, 600)
    turn = math.radians(amplitude)
    rod = {"name": "rod", "kind": d.pick("body", STIFF), "material": {"density": d.density()},
           "generator": {"kind": "box", "size": [thin, length, thin], "resolution": [1]},
           "transform": {"rotation": [0, 0, amplitude],
                         "translation": [length / 2 * math.sin(turn), -length / 2 * math.cos(turn), 0]}}
    scene = moving_scene(time, [rod], [{"name": "hinge", "kind": "joint", "joint": "hinge"}],
                         joints=[{"name": "hinge", "bodies": ["rod", ""], "point": [0, 0, 0], "axis": [0, 0, 1]}])

    def measure(run):
        times = crossing_times(run.pairs("hinge.angle [deg]"), -amplitude)
        return times[1] - times[0]

    def last_swing(run):
        return (max(angles := [a for t, a in run.pairs("hinge.angle [deg]") if t > 1.5 * period]) - min(angles)) / 2
    swing = d.problem(scene, amplitude, last_swing, MOTION)
    return d.problem(scene, period, measure, MOTION, also=(swing,))


def disk_body(d, radius, layers):
    return {"name": "disk", "kind": d.pick("body", STIFF), "material": {"density": d.density()},
            "generator": {"kind": "disk", "size": [radius], "resolution": [layers]}}


def rolling(d):
    """A disk of many sides rolls down a slope: its speed 2/3 g sin t."""
    radius, angle = d.length(), d.between("angle", 3, 25)
    slope = math.radians(angle)
    layers = 64 if d.is_fine else d.pick("layers", (8, 16, 32, 48))
    pull = 2 / 3 * G * math.sin(slope)
    time = d.time(math.sqrt(2 * radius * d.log("distance", 2, 12) / pull), 20, 500)
    gap = radius * d.log("gap", 1e-5, 3e-4)
    normal = [math.sin(slope), math.cos(slope)]
    # A vertex stands on the slope.
    body = disk_body(d, radius, layers)
    body["transform"] = {"translation": [(radius + gap) * n for n in normal], "rotation": -angle - 90}
    scene = moving_scene(time, [body], [{"name": "disk", "kind": "velocity", "body": "disk"}], 2,
                         friction={"coefficient": 0.8}, half_spaces=[{"point": [0, 0], "normal": normal}],
                         **d.contact())

    def measure(run):
        return run.last("disk.x [m/s]") * math.cos(slope) - run.last("disk.y [m/s]") * math.sin(slope)
    return d.problem(scene, pull * d.end, measure, ROLLING)


def slip_to_roll(d):
    """A disk that slides without spin and begins to roll: two thirds of its speed."""
    radius, friction = d.length(), d.between("friction", 0.1, 0.5)
    layers = 64 if d.is_fine else d.pick("layers", (8, 16, 32, 48))
    speed = math.sqrt(G * radius) * d.log("froude", 0.5, 3.0)
    time = d.time(1.3 * speed / 3 / friction / G, 20, 500)
    body = disk_body(d, radius, layers)
    gap = radius * d.log("gap", 1e-5, 3e-4)
    body |= {"transform": {"translation": [0, radius + gap], "rotation": -90}, "linear_velocity": [speed, 0]}
    scene = moving_scene(time, [body], [{"name": "disk", "kind": "velocity", "body": "disk"}], 2,
                         friction={"coefficient": friction}, half_spaces=[{"point": [0, 0]}], **d.contact())
    return d.problem(scene, 2 / 3 * speed, lambda run: run.last("disk.x [m/s]"), ROLLING)


def wedge_solids(length, angle, gap):
    """Returns the corners of a wedge on the floor, and of the block that lies on its slope, a gap below each."""
    half, low, wide, slope = 0.5 * length, 0.1 * length, 0.25 * length, math.tan(angle)
    at = lambda x: low + (half - x) * slope + gap * (1 + 1 / math.cos(angle))
    top = at(-wide) + wide
    return {"wedge": [[-half, gap], [half, gap], [half, low + gap], [-half, low + length * slope + gap]],
            "load": [[-wide, at(-wide)], [wide, at(wide)], [wide, top], [-wide, top]]}


def trapezoid_area(points):
    """Returns the area of four points whose first and last, second and third are above each other."""
    (x0, y0), (x1, y1), (_, y2), (_, y3) = points
    return (x1 - x0) * (y3 - y0 + y2 - y1) / 2


def wedge(d):
    """A loaded wedge that is squeezed out, or locks: its speed W k / (mw + ml k tan a), k = tan(a - phi) - tan phi."""
    length, angle = d.length(0.01), d.between("angle", 8, 30)
    a = math.radians(angle)
    half_angle = math.tan(a / 2)
    friction = d.note("friction", half_angle * d.pick("friction_over_tan_half", (0.0, 0.3, 0.7, 1.15, 1.5)))
    density, gap = d.density(), 2e-4 * length * d.log("gap", 0.1, 1.0)
    slope, solids, kind = math.tan(a), wedge_solids(length, a, gap), d.pick("body", STIFF)
    bodies = [{"name": name, "kind": kind, "material": {"density": density},
               "geometry": {"vertices": [[*p, 0.0] for p in points], "triangles": [[0, 1, 2], [0, 2, 3]]}}
              for name, points in solids.items()]
    masses = [density * trapezoid_area(points) for points in solids.values()]
    load = masses[1] * G * d.log("load_over_weight", 1.0, 30.0)
    bodies[1] |= {"fixed_translation": [True, False, False], "fixed_rotation": True,
                  "loads": [{"kind": "force", "value": [0, -load, 0]}]}
    phi = math.atan(friction)
    k = max(0.0, math.tan(a - phi) - math.tan(phi))
    push = load * k / (masses[0] + masses[1] * k * slope)
    free = load * slope / (masses[0] + masses[1] * slope**2)
    duration = math.sqrt(2 * 0.15 * length / max(push, 0.3 * free))
    scene = moving_scene(d.time(duration, 8, 200), bodies, [{"name": "wedge", "kind": "velocity", "body": "wedge"}], 2,
                         gravity=[0, 0], friction={"coefficient": friction}, half_spaces=[{"point": [0, 0]}],
                         **d.contact())
    expected = push * d.end
    return d.problem(scene, expected, lambda run: abs(run.last("wedge.x [m/s]")), FRICTION,
                     0.0 if expected else free * d.end)


def beam_let_go(d):
    """A cantilever whose weight begins to act: it first turns back after half of its period, 2 pi / 3.516 ..."""
    dimension, length, slenderness = d.pick("dimension", (2, 2, 3)), d.length(5e-3), d.between("slenderness", 15, 40)
    young, poisson, density = d.young(), d.pick("poisson", (0.0, 0.2, 0.3, 0.45)), d.density()
    body, thickness = strip(d, "beam", length, slenderness, dimension)
    modulus = plane_modulus(young, poisson, dimension)
    rate = 3.516 * thickness / math.sqrt(12) / length**2 * math.sqrt(modulus / density)
    sag = d.log("sag", 1e-4, 0.03)
    gravity = sag * length * 8 * modulus * thickness**2 / 12 / density / length**4
    time = d.time(1.3 * math.pi / rate, 6, 60, 100)
    body |= {"material": d.material(young, poisson, density), "motions": [held(face(0, 0))], **d.order()}
    scene = moving_scene(time, [body], [position("tip", "beam", region=face(0, 1))], dimension,
                         gravity=[0, -gravity, 0])

    def peak(run):
        return first_peak([(t, -y) for t, y in run.pairs("tip.y [m]")])
    # The first mode swings to twice its part of the static sag (96 % for the end), the others blur it.
    sink = lambda run: (peak(run)[1] + run.values("tip.y [m]")[0]) / length
    sag = d.problem(scene, 2 * sag, sink, (*MOTION, "coarse_elements"))
    return d.problem(scene, 2 * math.pi / rate, lambda run: 2 * peak(run)[0], (*MOTION, "coarse_elements"), also=(sag,))


def bar_let_go(d):
    """A bar clamped at one end that starts with one speed along it: after 2 L / c all of it comes back as fast."""
    dimension, length, slenderness = d.pick("dimension", (2, 3)), d.length(5e-3), d.between("slenderness", 8, 20)
    young, density = d.young(), d.density()
    body, _ = strip(d, "bar", length, slenderness, dimension)
    wave = math.sqrt(young / density)
    strain = d.log("strain", 1e-4, 1e-2)
    time = d.time(2.6 * length / wave, 10, 200, 400)
    body |= {"material": d.material(young, 0.0, density), "linear_velocity": [strain * wave, 0, 0],
             "motions": [held(face(0, 0))], **d.order()}
    probes = [position("tip", "bar", region=face(0, 1)), {"name": "bar", "kind": "velocity", "body": "bar"}]
    scene = moving_scene(time, [body], probes, dimension, gravity=[0, 0, 0])
    # The front of the wave is as wide as a few elements, which takes from the fastest moment.
    back = d.problem(scene, -strain * wave, lambda run: min(run.values("bar.x [m/s]")), (*MOTION, "coarse_elements"),
                     tolerance=0.1)

    def measure(run):
        pairs = [(t, -x) for t, x in run.pairs("tip.x [m]")]
        return crossing_times(pairs[1:], pairs[0][1])[0]
    return d.problem(scene, 2 * length / wave, measure, (*MOTION, "coarse_elements"), also=(back,))


def bar_impact(d):
    """An elastic bar hits the floor with its end: peak force rho c v A, and rebound with its own speed."""
    dimension, length, slenderness = d.pick("dimension", (2, 3)), d.length(5e-3), d.between("slenderness", 5, 15)
    young, density, strain = d.young(), d.density(), d.log("strain", 1e-4, 1e-2)
    body, thickness = strip(d, "bar", length, slenderness, dimension, along=1)
    wave = math.sqrt(young / density)
    speed = strain * wave
    gap = d.log("gap_over_travel", 0.05, 0.5) * speed * length / wave
    time = d.time(4 * length / wave + gap / speed, 6, 300, 400)
    body |= {"material": d.material(young, 0.0, density), "linear_velocity": [0, -speed, 0],
             "transform": {"translation": [0, length / 2 + gap, 0]}, **d.order()}
    probes = [{"name": "bar", "kind": "velocity", "body": "bar"},
              {"name": "contact", "kind": "contact", "bodies": ["bar", "half_spaces[0]"]}]
    scene = moving_scene(time, [body], probes, dimension, gravity=[0, 0, 0], half_spaces=[{"point": [0, 0, 0]}],
                         **d.contact())
    expected = strain * young * thickness ** (dimension - 1)
    # Waves of finite elements overshoot by up to 6 %, also with fine ones.
    measure = lambda run: max(run.values("contact.normal.y [N]"))
    rebound = d.problem(scene, speed, lambda run: run.last("bar.y [m/s]"), IMPACT)
    return d.problem(scene, expected, measure, IMPACT, tolerance=0.1, also=(rebound,))


KINDS = (incline, braking, projectile, bounce, collision, pendulum, rolling, slip_to_roll, wedge, beam_let_go,
         bar_let_go, bar_impact)
