"""Blocks that slide, stand, fall and meet: Coulomb friction and contact."""

import math

from . import vectors as vec
from .case import G, GAP_TOLERANCE, STICK_SPEED, TOLERANCE, Case, Check, at_most, near, near_vector
from .scenes import FLOOR, box, bystander, mesh_body, prism, scene


def block_material(d, kind, size):
    """Draws density, and E of a deformable block that its own weight strains by at most 1e-3 (resolved)."""
    density = d.density()
    return density, d.young(density * G * size) if kind == "deformable" else None


def bounce(mu, gap, speed, gravity=G):
    """Returns the allowed error of the speed of a sliding block that still bounces from its fall through the gap at the
    start.

    The normal impulse up to time t is m (g t + v_n): its error v_n <= sqrt(2 g gap) leaves mu v_n of the speed.
    """
    return mu * math.sqrt(2 * gravity * gap) / speed


def creep(run, body, size, normal, more=0.0, name="creep"):
    """Checks that there is no motion along the ground: the mean speed over the second half is below STICK_SPEED
    sqrt(g size), and `more`."""
    middle = len(run.numbers) // 2
    speed = vec.norm(vec.without(run.displacement(body, middle, -1), normal)) / (run.time(-1) - run.time(middle))
    scale = math.sqrt(G * size)
    return Check(name, speed, 0.0, speed / scale, STICK_SPEED + more)


def hops(d, gap, size, angle):
    """Returns the mean speed [sqrt(g size)] downhill of a block that hops on the slope forever, as it may if nothing
    damps.

    A hop takes 2 v_n / (g cos), and the slope's pull has the mean speed tan v_n; v_n = sqrt(2 g gap cos).
    """
    return 0.0 if d.damps() else math.tan(angle) * math.sqrt(2 * gap * math.cos(angle) / size)


def clear_friction(d, ratio):
    """Draws mu <= 1 that clearly holds, from 1.15 `ratio` on, or clearly lets slide, up to 0.7 `ratio`."""
    holds = 1.15 * ratio < 1 and d.chance(0.35)
    return d.between("mu", 1.15 * ratio, 1.0) if holds else d.between("mu", 0.0, min(1.0, 0.7 * ratio))


def slope_frame(angle):
    """Returns normal and downhill direction of a slope that falls towards +x, angle in degrees."""
    a = math.radians(angle)
    return (math.sin(a), math.cos(a), 0.0), (math.cos(a), -math.sin(a), 0.0)


def slide_down(d, name, mu, angle, size, gap, normal, downhill):
    """Returns checks of a block on a slope from rest: v = g (sin - mu cos) t downhill; below the friction angle it
    stands."""
    a = math.radians(angle)
    speed = G * (math.sin(a) - mu * math.cos(a)) * d.duration
    if speed <= 0:
        return lambda run: [creep(run, name, size, normal, hops(d, gap, size, a))]
    tolerance = TOLERANCE + bounce(mu, gap, speed, G * math.cos(a))
    return lambda run: [near_vector("speed", vec.without(run.velocity(name), normal), vec.mul(speed, downhill),
                                    tolerance)]


def incline(d):
    """A block on a slope, from rest: v = g (sin - mu cos) t; below the friction angle it stays."""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    angle = d.between("angle", 5.0, 40.0)
    mu, gap = clear_friction(d, math.tan(math.radians(angle))), d.log("gap", 1e-4, 1e-3) * size
    flat, yaw = d.between("flat", 0.25, 0.5), d.between("yaw", 0.0, 90.0)
    d.times(math.sqrt(size / G))
    density, young = block_material(d, kind, flat * size)
    normal, downhill = slope_frame(angle)
    block = box("block", kind, (size, flat * size, size), vec.mul(0.5 * flat * size + gap, normal), (0, yaw, -angle),
                density, young)
    description = scene(d, [block, *bystander(d, size, normal)], friction=mu,
                        half_spaces=[{"point": [0, 0, 0], "normal": list(normal)}])
    return Case(d.name, d.parameters, description, slide_down(d, "block", mu, angle, size, gap, normal, downhill),
                d.unresolved,
                peer=kind == "rigid")


def wedge(d):
    """As `incline`, on the face of a fixed wedge: contact with a surface instead of a plane."""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    angle = d.between("angle", 10.0, 35.0)
    a = math.radians(angle)
    mu, gap = clear_friction(d, math.tan(a)), d.log("gap", 1e-4, 1e-3) * size
    d.times(math.sqrt(size / G), cycles=(1.5, 3.0), most=120)
    density, young = block_material(d, kind, 0.5 * size)
    travel = 0.5 * G * math.sin(a) * d.duration**2
    face = travel + 6 * size  # length; its upper end is in the origin
    normal, downhill = slope_frame(angle)
    foot = (face * math.cos(a), -face * math.sin(a))
    ramp = mesh_body("wedge", "obstacle",
                     prism([(0, foot[1] - size), (foot[0], foot[1] - size), foot, (0, 0)], 6 * size), (0, 0, 0))
    at = vec.add(vec.mul(2.5 * size, downhill), vec.mul(0.25 * size + gap, normal))
    block = box("block", kind, (size, 0.5 * size, size), at, (0, d.between("yaw", 0.0, 90.0), -angle), density, young)
    description = scene(d, [block, ramp, *bystander(d, size, normal)], friction=mu)
    return Case(d.name, d.parameters, description, slide_down(d, "block", mu, angle, size, gap, normal, downhill),
                d.unresolved)


def moving_wedge(d):
    """A block m slides down a free wedge M, without any friction: M moves at m g sin cos / (M + m sin^2) against it.

    Horizontal momentum is conserved: m times the block's horizontal velocity is -M times the wedge's.
    """
    kind, size, _ = d.body_kind(("rigid", "affine")), d.size(), d.integrator()
    angle, gap = d.between("angle", 15.0, 40.0), d.log("gap", 1e-4, 1e-3) * size
    a = math.radians(angle)
    normal, downhill = slope_frame(angle)
    face = 8 * size
    foot, height = face * math.cos(a), face * math.sin(a)
    # The wedge is a triangle: its centre of mass is a third of its height above the floor.
    outline = [(0, 0), (foot, 0), (0, height)]
    centre = (foot / 3, height / 3)
    outline = [(x - centre[0], y - centre[1]) for x, y in outline]
    density = d.density()
    block_mass, wedge_mass = density * 0.5 * size**3, density * foot * height / 2 * 2 * size
    ratio = d.log("wedge_over_block", 0.5, 10.0)
    wedge_density = density * ratio * block_mass / wedge_mass
    sin, cos = math.sin(a), math.cos(a)
    wedge_rate = G * sin * cos / (ratio + sin * sin)
    relative = (1 + ratio) * G * sin / (ratio + sin * sin)  # relative acceleration along the face
    d.times(math.sqrt(size / relative), cycles=(1.5, 2.4))
    bodies = [mesh_body("wedge", kind, prism(outline, 2 * size), (centre[0], centre[1] + gap, 0),
                        density=wedge_density)]
    at = vec.add((0, height + gap, 0), vec.add(vec.mul(0.35 * face, downhill), vec.mul(0.25 * size + gap, normal)))
    bodies.append(box("block", kind, (size, 0.5 * size, size), at, (0, 0, -angle), density))
    speed = wedge_rate * d.duration
    # A block or wedge that still bounces from the gaps at the start gives the wedge another impulse: v_n sin / ratio.
    tolerance = TOLERANCE + 2 * math.sqrt(2 * G * gap) * sin * min(1.0, 1 / ratio) / speed

    def measure(run):
        return [near("wedge", run.velocity("wedge")[0], -speed, tolerance),
                near("block", run.velocity("block")[0], ratio * speed, tolerance)]
    return Case(d.name, d.parameters, scene(d, [*bodies, *bystander(d, size)], friction=0.0, half_spaces=[FLOOR]),
                measure, d.unresolved)


def push(d):
    """A crate pushed along the floor: v = (F / m - mu g) t; it stays where F < mu m g."""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    pull = d.log("pull", 0.05, 2.0)
    mu, gap = clear_friction(d, pull), d.log("gap", 1e-4, 1e-3) * size
    tall, heading = d.between("tall", 0.3, 0.6), math.radians(d.between("heading", 0.0, 360.0))
    d.times(math.sqrt(size / G))
    density, young = block_material(d, kind, size)
    ahead = (math.cos(heading), 0.0, math.sin(heading))
    mass = density * tall * size**3
    load = {"kind": "acceleration", "value": list(vec.mul(pull * G, ahead))}
    if d.pick("load", ("acceleration", "force")) == "force":
        load = {"kind": "force", "value": list(vec.mul(pull * G * mass, ahead))}
    crate = box("crate", kind, (size, tall * size, size), (0, 0.5 * tall * size + gap, 0), density=density, young=young,
                loads=[load])
    speed = (pull - mu) * G * d.duration

    def measure(run):
        if speed <= 0:
            return [creep(run, "crate", size, (0, 1, 0), hops(d, gap, size, math.atan(pull)))]
        tolerance = TOLERANCE + bounce(mu, gap, speed)
        return [near_vector("speed", vec.without(run.velocity("crate"), (0, 1, 0)), vec.mul(speed, ahead), tolerance)]
    description = scene(d, [crate, *bystander(d, size)], friction=mu, half_spaces=[FLOOR])
    return Case(d.name, d.parameters, description, measure, d.unresolved, peer=kind == "rigid")


def slide(d):
    """A block that starts with a velocity on the floor: v0 - mu g t, and at rest after v0^2 / (2 mu g)."""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    mu, gap = d.between("mu", 0.05, 1.0), d.log("gap", 1e-4, 1e-3) * size
    flat, yaw = d.between("flat", 0.2, 0.4), d.between("yaw", 0.0, 90.0)
    heading = math.radians(d.between("heading", 0.0, 360.0))
    stops = d.note("stops", d.chance(0.4))
    d.times(math.sqrt(size / G), least=80 if stops else 40)
    density, young = block_material(d, kind, flat * size)
    speed = mu * G * d.duration * (0.5 if stops else 2.0)
    if young:
        d.needs("speed / c", speed / math.sqrt(young / density), 0.05)
    ahead = (math.cos(heading), 0.0, math.sin(heading))
    block = box("block", kind, (size, flat * size, size), (0, 0.5 * flat * size + gap, 0), (0, yaw, 0), density, young,
                linear_velocity=list(vec.mul(speed, ahead)))
    left = speed - mu * G * d.duration

    def measure(run):
        if stops:
            # First order brakes a step early or late: 1 / n of the way, with n >= 40 steps until it stands.
            way = vec.mul(speed**2 / (2 * mu * G), ahead)
            gone = vec.without(run.displacement("block"), (0, 1, 0))
            return [near_vector("way", gone, way, TOLERANCE + 2 * bounce(mu, gap, speed)),
                    Check("stands", vec.dot(run.velocity("block"), ahead), 0,
                          abs(vec.dot(run.velocity("block"), ahead)) / speed)]
        return [near_vector("speed", vec.without(run.velocity("block"), (0, 1, 0)), vec.mul(left, ahead),
                            TOLERANCE + bounce(mu, gap, left))]
    description = scene(d, [block, *bystander(d, size)], friction=mu, half_spaces=[FLOOR])
    return Case(d.name, d.parameters, description, measure, d.unresolved, peer=kind == "rigid")


def conveyor(d):
    """A block set on a moving belt: v = mu g t until it has the belt's speed, which it keeps."""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    mu, gap = d.between("mu", 0.1, 1.0), d.log("gap", 1e-4, 1e-3) * size
    d.times(math.sqrt(size / G), most=120)
    density, young = block_material(d, kind, 0.3 * size)
    share = d.pick("belt", (0.4, 3.0))  # share of the belt's speed that friction gives in this time
    belt_speed = share * mu * G * d.duration
    if young:
        d.needs("speed / c", belt_speed / math.sqrt(young / density), 0.05)
    length = 2 * belt_speed * d.duration + 6 * size
    belt = box("belt", "obstacle", (length, 0.5 * size, 4 * size), (0, -0.25 * size, 0),
               motions=[{"linear_velocity": [belt_speed, 0, 0]}])
    block = box("block", kind, (size, 0.3 * size, size), (0, 0.15 * size + gap, 0), (0, d.between("yaw", 0.0, 90.0), 0),
                density, young)
    speed = min(belt_speed, mu * G * d.duration)

    def measure(run):
        tolerance = TOLERANCE + (bounce(mu, gap, speed) if share > 1 else 0.0)
        return [near_vector("speed", vec.without(run.velocity("block"), (0, 1, 0)), (speed, 0, 0), tolerance)]
    return Case(d.name, d.parameters, scene(d, [block, belt, *bystander(d, size)], friction=mu), measure, d.unresolved)


def plank(d):
    """A block slides on a plank that is free on a smooth floor: v0 - mu g t, the plank mu g t m / M, until both have
    v0 m / (m + M)."""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    mu, gap = d.between("mu", 0.05, 0.8), d.log("gap", 1e-4, 1e-3) * size
    ratio = d.log("plank_over_block", 0.5, 5.0)
    together = d.note("together", d.chance(0.4))
    d.times(math.sqrt(size / G), least=80 if together else 40)
    density, young = block_material(d, kind, 0.3 * size)
    until = d.duration * (0.5 if together else 2.0)  # when both have one speed
    start = mu * G * until * (1 + 1 / ratio)
    if young:
        d.needs("speed / c", start / math.sqrt(young / density), 0.05)
    length = 2 * 0.5 * start * until + 4 * size
    plank_size = (length, 0.3 * size, 2 * size)
    plank_density = density * ratio * 0.3 * size**3 / (plank_size[0] * plank_size[1] * plank_size[2])
    bodies = [box("block", kind, (size, 0.3 * size, size), (0, 0.45 * size + 2 * gap, 0), density=density, young=young,
                  linear_velocity=[start, 0, 0]),
              box("plank", kind if kind != "deformable" else "affine", plank_size, (0, 0.15 * size + gap, 0),
                  density=plank_density)]
    time = min(until, d.duration)
    block, board = start - mu * G * time, mu * G * time / ratio

    def measure(run):
        slack = 0.0 if together else 2 * bounce(mu, gap, start)
        return [near("block", run.velocity("block")[0], block, TOLERANCE + slack, start),
                near("plank", run.velocity("plank")[0], board, TOLERANCE + slack, max(board, 0.1 * start))]
    description = scene(d, [*bodies, *bystander(d, size)], friction=mu, half_spaces=[{**FLOOR, "friction": 0.0}])
    return Case(d.name, d.parameters, description, measure, d.unresolved)


def topple(d):
    """A slender block on a rough slope: it stands if tan angle < width / height, and falls over if it is more.

    Falling about its lower edge: I phi'' = m g r sin(phi), I = m (w^2 + h^2) / 3, phi from the vertical to the centre
    of mass at distance r from the edge. The time is that of a tilt by 0.4 rad. The fall grows exponentially from a
    small start: 20 %.
    """
    kind, size, _ = d.body_kind(("rigid", "affine")), d.size(), d.integrator()
    angle = d.between("angle", 10.0, 30.0)
    a = math.radians(angle)
    falls = d.note("falls", d.chance(0.5))
    least, most = (0.3, 0.7) if falls else (1.2, 2.0)
    slender = d.between("width_over_height", least * math.tan(a), most * math.tan(a))
    w, height, gap = slender * size, size, d.log("gap", 1e-5, 1e-4) * size
    r, start = 0.5 * math.hypot(w, height), a - math.atan2(w, height)
    time, tilt = fall_time(start, 0.4, 0.75 * G / r) if falls else (4 * math.sqrt(size / G), 0.0)
    d.times(time, cycles=(1.0, 1.0))
    if falls:
        tilt = fall_tilt(start, d.duration, 0.75 * G / r)
        d.needs("omega h", math.sqrt(0.75 * G / r) * d.h, 0.1 if d.order() > 1 else 0.03)
    normal, downhill = slope_frame(angle)
    block = box("block", kind, (w, height, 0.5 * size), vec.mul(0.5 * height + gap, normal), (0, 0, -angle),
                d.density())

    def measure(run):
        if not falls:
            return [creep(run, "block", size, normal, hops(d, gap, size, a))]
        first, last = (vec.sub(p[3], p[0]) for p in (run.points("block", 0), run.points("block")))
        turned = math.atan2(vec.norm(vec.cross(first, last)), vec.dot(first, last))
        return [near("tilt", turned, tilt, 0.2)] if tilt < 1 else [at_most("tilt", 0.8, turned, 1.0)]
    description = scene(d, [block], friction=1.0, half_spaces=[{"point": [0, 0, 0], "normal": list(normal)}])
    return Case(d.name, d.parameters, description, measure, d.unresolved)


def fall_path(start, rate_sq):
    """Returns (time, tilt since the start) of phi'' = rate^2 sin(phi) from rest, in small steps (Runge-Kutta)."""
    phi, rate, time = start, 0.0, 0.0
    h = 1e-3 / math.sqrt(rate_sq)
    while True:
        yield time, phi - start
        k1 = (rate, rate_sq * math.sin(phi))
        k2 = (rate + 0.5 * h * k1[1], rate_sq * math.sin(phi + 0.5 * h * k1[0]))
        phi, rate, time = phi + h * k2[0], rate + h * k2[1], time + h


def fall_time(start, tilt, rate_sq):
    return next((time, turned) for time, turned in fall_path(start, rate_sq) if turned >= tilt)


def fall_tilt(start, duration, rate_sq):
    return next(turned for time, turned in fall_path(start, rate_sq) if time >= duration or turned >= 1.0)


def drop(d):
    """A tumbling block falls on the floor: no step has more energy than the start, and it does not sink in."""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    height, mu = d.log("height", 0.05, 3.0) * size, d.between("mu", 0.0, 1.0)
    turn = [d.between(f"turn_{axis}", 0.0, 90.0) for axis in "xyz"]
    shape = (size, 0.6 * size, 0.4 * size)
    radius = 0.5 * math.hypot(*shape)
    impact = math.sqrt(2 * G * height)
    d.times(impact / G + 2 * math.sqrt(size / G), cycles=(1.0, 1.5))
    density, young = block_material(d, kind, size)
    if young:
        d.needs("speed / c", impact / math.sqrt(young / density), 0.02)
    block = box("block", kind, shape, (0, radius + height, 0), turn, density, young)
    energy = density * shape[0] * shape[1] * shape[2] * G * (radius + height)
    free = density * shape[0] * shape[1] * shape[2] * G * height

    def measure(run):
        return [at_most("most energy", max(run.energies()), energy + 0.01 * free, free),
                at_most("sinks", 0.19 * size, run.position("block")[1], size)]
    return Case(d.name, d.parameters, scene(d, [block], friction=mu, half_spaces=[FLOOR]), measure, d.unresolved)


def collide(d):
    """Two equal blocks meet head on: the sum of their momenta stays, and the energy is between the start's and the half
    of it that the momentum keeps."""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    speed, offset = d.log("speed", 0.05, 20.0) * math.sqrt(size), d.between("offset", 0.0, 0.3)
    d.times(size / speed, cycles=(1.2, 2.0))
    density = d.density()
    young = d.young(density * speed**2 * 10) if kind == "deformable" else None
    bodies = [box("a", kind, (size,) * 3, (0, 0, 0), density=density, young=young, linear_velocity=[speed, 0, 0]),
              box("b", kind, (size,) * 3, (1.5 * size, offset * size, 0.5 * offset * size), density=density,
                  young=young)]
    mass, start = density * size**3, 0.5 * density * size**3 * speed**2

    def measure(run):
        momentum = vec.add(run.velocity("a"), run.velocity("b"))
        energies = run.energies() if hasattr(run, "energies") else [mass * (run.kinetic("a") + run.kinetic("b"))]
        return [near_vector("momentum", momentum, (speed, 0, 0), 1e-2),
                at_most("most energy", max(energies), 1.001 * start, start),
                at_most("least energy", 0.499 * start, energies[-1], start)]
    description = scene(d, [*bodies, *bystander(d, size, (0, 1, 0))], gravity=(0, 0, 0))
    return Case(d.name, d.parameters, description, measure, d.unresolved, peer=kind == "rigid")


def stack_bodies(d, kind, size, gap, count):
    """Returns boxes of random density and size on each other, the lowest first, and their weights [N]."""
    bodies, weights, top = [], [], 0.0
    for i in range(count):
        density = d.log(f"density_{i}", 300.0, 3000.0)
        width = size * d.between(f"width_{i}", 0.8, 1.2)
        height = size * d.between(f"height_{i}", 0.3, 0.6)
        pressure = 3000.0 * G * 2.0 * size
        young = None
        if kind == "deformable":
            young = d.parameters.get("young") or d.young(pressure)
        bodies.append(box(f"b{i}", kind, (width, height, width), (0, top + gap + 0.5 * height, 0), density=density,
                          young=young))
        weights.append(density * width * width * height * G)
        top += gap + height
    return bodies, weights


def rest(d):
    """A stack on the floor stands as it was built, and nothing moves. (Heights within the gaps and a strain of 1 %.)"""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    gap, count = d.log("gap", 1e-4, 1e-3) * size, d.whole("count", 1, 4)
    d.times(math.sqrt(size / G), cycles=(4.0, 10.0))
    bodies, _ = stack_bodies(d, kind, size, gap, count)

    def measure(run):
        checks = []
        for i in range(count):
            moved = vec.norm(run.displacement(f"b{i}"))
            checks.append(Check(f"b{i} moved", moved, 0.0, moved / size, 0.02))
            checks.append(creep(run, f"b{i}", size, (0, 1, 0), name=f"b{i} creep"))
        return checks
    description = scene(d, [*bodies, *bystander(d, size)], friction=d.between("mu", 0.2, 1.0), half_spaces=[FLOOR])
    return Case(d.name, d.parameters, description, measure, d.unresolved, peer=kind == "rigid")


def levels(d):
    """A stack on the floor: each level carries the weight above it. Means of the contact forces over the second half.

    A body still bouncing from the gap at the start, at v_n = sqrt(2 g gap), may change its momentum by 2 m v_n.
    """
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    gap, count = d.log("gap", 1e-5, 1e-4) * size, d.whole("count", 1, 4)
    d.times(math.sqrt(size / G), cycles=(5.0, 10.0))
    bodies, weights = stack_bodies(d, kind, size, gap, count)
    tolerance = GAP_TOLERANCE + 2 * math.sqrt(2 * G * gap * count) / (G * 0.5 * d.duration)

    def measure(run):
        frames = run.second_half()
        checks = []
        for i in range(count):
            bottom = bottom_vertices(run, f"b{i}")
            force = math.fsum(run.forces(f"b{i}", f)[v][1] for f in frames for v in bottom) / len(frames)
            checks.append(near(f"below b{i}", force, math.fsum(weights[i:]), tolerance))
        return checks
    description = scene(d, [*bodies, *bystander(d, size)], "all", friction=d.between("mu", 0.0, 1.0),
                        half_spaces=[FLOOR], forces=True)
    return Case(d.name, d.parameters, description, measure, d.unresolved)


def bottom_vertices(run, name):
    heights = [p[1] for p in run.points(name, 0)]
    middle = (min(heights) + max(heights)) / 2 - 0.4 * (max(heights) - min(heights))
    return [i for i, y in enumerate(heights) if y < middle]


KINDS = (incline, wedge, moving_wedge, push, slide, conveyor, plank, topple, drop, collide, rest, levels)
