"""Free motion and joints: falling, turning, rolling, hinges, pendulums, sliders and brakes."""

import math

from . import vectors as vec
from .blocks import bounce, slope_frame
from .case import G, GAP_TOLERANCE, Case, near, near_vector
from .scenes import box, bystander, globe, inertia_z, mass_properties, mesh_body, scene, wheel

STIFF = ("rigid", "affine")
SIDES = 256  # sides of wheels


def fall(d):
    """Thrown: v0 + g t, and v0 t + g t^2 / 2. First order falls g t h / 2 too far: 1 / n of the way."""
    kind, size, _ = d.body_kind(), d.size(), d.integrator()
    speed, ahead = d.log("speed", 0.01, 3.0) * math.sqrt(G * size), d.direction("direction")
    d.times(math.sqrt(size / G))
    density = d.density()
    young = d.young(density * G * size) if kind == "deformable" else None
    body = box("body", kind, (size, 0.7 * size, 0.4 * size), (0, 0, 0), (20, 40, 60), density, young,
               linear_velocity=list(vec.mul(speed, ahead)))
    v0, t = vec.mul(speed, ahead), d.duration
    velocity = vec.add(v0, (0, -G * t, 0))
    way = vec.add(vec.mul(t, v0), (0, -0.5 * G * t * t, 0))

    def measure(run):
        return [near_vector("velocity", run.velocity("body"), velocity, scale=max(speed, G * t)),
                near_vector("way", run.displacement("body"), way, scale=max(speed * t, 0.5 * G * t * t))]
    return Case(d.name, d.parameters, scene(d, [body, *bystander(d, size)]), measure, d.unresolved)


def box_inertia(mass, shape):
    """Returns the moments of a box about its axes through the centre."""
    squares = [s * s for s in shape]
    return [mass / 12 * (sum(squares) - s) for s in squares]


def random_shape(d, size):
    return tuple(size * d.between(f"side_{axis}", 0.3, 1.0) for axis in "xyz")


def hinge(d):
    """A door under a constant torque about its hinge: omega = torque t / I, I = m (w^2 + d^2) / 12 + m r^2."""
    kind, size, _ = d.body_kind(STIFF), d.size(), d.integrator()
    shape, arm, angle = random_shape(d, size), d.between("arm", 0.0, 1.0) * size, d.log("angle", 0.1, 6.0)
    density = d.density()
    mass = density * shape[0] * shape[1] * shape[2]
    inertia = box_inertia(mass, shape)[1] + mass * arm**2
    d.times(math.sqrt(size / G), least=max(40, int(20 * angle)))
    torque = 2 * angle / d.duration**2 * inertia
    rate = torque * d.duration / inertia
    d.needs_turning(rate, angle, 0.5)
    door = box("door", kind, shape, (arm, 0, 0), density=density)
    joint = {"kind": "hinge", "bodies": ["door", ""], "point": [0, 0, 0], "axis": [0, 1, 0], "effort": repr(torque)}

    def measure(run):
        speed = vec.mul(rate * arm, (-math.sin(angle), 0, -math.cos(angle)))
        checks = [near_vector("rate", run.spin("door"), (0, rate, 0))]
        if arm > 0.1 * size:
            checks.append(near("speed", vec.norm(run.velocity("door")), vec.norm(speed)))
        return checks
    description = scene(d, [door, *bystander(d, size)], gravity=(0, 0, 0), joints=[joint])
    return Case(d.name, d.parameters, description, measure, d.unresolved, peer=kind == "rigid")


def torque(d):
    """A free body under a constant torque about a principal axis: omega = torque t / I, its centre stays."""
    kind, size, _ = d.body_kind(STIFF), d.size(), d.integrator()
    shape, angle, axis = random_shape(d, size), d.log("angle", 0.1, 6.0), d.whole("axis", 0, 2)
    density, turn = d.density(), [d.between(f"turn_{a}", 0.0, 90.0) for a in "xyz"]
    inertia = box_inertia(density * shape[0] * shape[1] * shape[2], shape)[axis]
    d.times(math.sqrt(size / G), least=max(40, int(20 * angle)))
    along = tuple(row[axis] for row in vec.euler(turn))
    value = 2 * angle / d.duration**2 * inertia
    rate = value * d.duration / inertia
    d.needs_turning(rate, angle, 0.5)
    body = box("body", kind, shape, (0, 0, 0), turn, density,
               loads=[{"kind": "torque", "value": list(vec.mul(value, along))}])

    def measure(run):
        return [near_vector("rate", run.spin("body"), vec.mul(rate, along)),
                near_vector("drift", run.displacement("body"), (0, 0, 0), 1e-3, size)]
    return Case(d.name, d.parameters, scene(d, [body, *bystander(d, size)], gravity=(0, 0, 0)), measure, d.unresolved)


def tumble(d):
    """Free rotation: energy and angular momentum stay. If two sides are equal (Euler's top), the axis along the
    third goes round the angular momentum L at |L| / I, I about the equal sides."""
    kind, size, _ = d.body_kind(STIFF), d.size(), d.integrator()
    shape = random_shape(d, size)
    is_top = d.note("top", d.chance(0.5))
    if is_top:
        shape = (shape[0], shape[1], shape[0])
    turn, axis, angle = [d.between(f"turn_{a}", 0.0, 90.0) for a in "xyz"], d.direction("axis"), d.log("angle", 0.3,
                                                                                                       6.0)
    d.times(math.sqrt(size / G), least=max(40, int(12 * angle)))
    rate = angle / d.duration
    d.needs_turning(rate, 2 * angle)
    spin = vec.mul(rate, axis)
    body = box("body", kind, shape, (0, 0, 0), turn, d.density(), angular_velocity=[math.degrees(w) for w in spin])
    inertia = box_inertia(1.0, shape)
    frame = list(zip(*vec.euler(turn)))  # the body's axes
    rates = [vec.dot(spin, axis) for axis in frame]
    momentum = vec.total([vec.mul(i * w, a) for i, w, a in zip(inertia, rates, frame)])
    energy = 0.5 * sum(i * w * w for i, w in zip(inertia, rates))

    def measure(run):
        checks = [near("energy", run.kinetic("body"), energy),
                  near_vector("angular momentum", run.angular_momentum("body"), momentum)]
        if is_top:
            going = vec.norm(momentum) / inertia[0] * d.duration
            expected = vec.apply(vec.rotation(vec.unit(momentum), going), frame[1])
            # The error is the angle that the axis is off, as a share of the angle it has gone round.
            radius = vec.norm(vec.cross(vec.unit(momentum), frame[1]))
            checks.append(near_vector("axis", body_axis(run, "body", shape), expected, scale=max(0.1, radius * going)))
        return checks
    return Case(d.name, d.parameters, scene(d, [body, *bystander(d, size)], gravity=(0, 0, 0)), measure, d.unresolved)


def body_axis(run, name, shape):
    """Returns the present direction of the y axis of a box: vertices 0 and 2 of a box are the ends of an edge along
    it."""
    points = run.points(name)
    return vec.mul(1 / shape[1], vec.sub(points[2], points[0]))


def spin(d):
    """A soft block spins freely: energy (kinetic and elastic) and angular momentum stay those of the start.

    The start is that of the mesh with a quarter of each tetrahedron's mass at its nodes.
    """
    size, _ = d.size(), d.integrator()
    d.note("body", "deformable")
    shape = (size, 0.5 * size, size)
    angle = d.log("angle", 0.3, 8.0)
    d.times(math.sqrt(size / G), least=max(40, int(12 * angle)))
    rate, density = angle / d.duration, d.density()
    young = d.young(density * (rate * size) ** 2)
    d.needs_turning(rate, 2 * angle)  # energy goes twice as fast as the rate
    body = box("body", "deformable", shape, (0, 0, 0), density=density, young=young, resolution=(3, 2, 3),
               angular_velocity=[0, math.degrees(rate), 0])
    mass = density * shape[0] * shape[1] * shape[2]

    def measure(run):
        turning = (0, rate, 0)
        offsets, weights = [vec.sub(p, run.position("body", 0)) for p in run.points("body", 0)], run.weights["body"]
        start = 0.5 * mass * sum(w * vec.norm(vec.cross(turning, r)) ** 2 for w, r in zip(weights, offsets))
        momentum = vec.total([vec.mul(w, vec.cross(r, vec.cross(turning, r))) for w, r in zip(weights, offsets)])
        worst = max(run.energies(), key=lambda energy: abs(energy - start))
        return [near("energy", worst, start), near_vector("angular momentum", run.angular_momentum("body"), momentum)]
    return Case(d.name, d.parameters, scene(d, [body, *bystander(d, size)], gravity=(0, 0, 0)), measure, d.unresolved)


def roll(d):
    """A cylinder or sphere on a slope: v = g sin t / (1 + k), k = I / (m r^2), if mu >= tan k / (1 + k); else it slips:
    v = g (sin - mu cos) t, omega r = mu g cos t / k.

    It has flat sides, which is the error of this theory: each one that falls on the slope takes 1 - cos(2 pi / n) of
    2 / (1 + k) of the energy. In an angle of 2 rad that is 2 % of the energy for 256 sides. What slips also has the
    slope's force up to pi / n of the radius before or behind it: mu is far above that, and the rate may be off by 9 %.
    """
    kind, shape = d.body_kind(STIFF), d.pick("shape", ("cylinder", "sphere"))
    radius, _ = d.size(), d.integrator()
    slips = d.note("slips", d.chance(0.4))
    angle, gap = d.between("angle", 30.0 if slips else 5.0, 45.0), d.log("gap", 1e-5, 1e-4) * radius
    a = math.radians(angle)
    mesh = wheel(radius, radius, SIDES) if shape == "cylinder" else globe(radius, SIDES, 16)
    k = inertia_z(mesh) / radius**2
    limit = math.tan(a) * k / (1 + k)
    mu = d.between("mu", 0.4 * limit, 0.7 * limit) if slips else d.between("mu", 1.3 * limit, 1.0)
    turned = d.between("turned", 0.5, 2.0)  # rad
    fast = G * math.sin(a) / (1 + k)
    d.times(math.sqrt(2 * turned * radius / fast), cycles=(1.0, 1.0))
    if slips:
        speed = G * (math.sin(a) - mu * math.cos(a)) * d.duration
        rate = mu * G * math.cos(a) * d.duration / (k * radius)
    else:
        speed, rate = fast * d.duration, fast * d.duration / radius
    d.needs_turning(rate, 0.5 * rate * d.duration, 0.5 * k / (1 + k))  # the share of the energy that turns
    normal, downhill = slope_frame(angle)
    at = vec.mul(radius * math.cos(math.pi / SIDES) + gap, normal)
    body = mesh_body("roller", kind, mesh, at, (0, 0, -angle), d.density())
    tolerance = GAP_TOLERANCE + (bounce(mu, gap, speed, G * math.cos(a)) if slips else 0.0)

    def measure(run):
        return [near_vector("speed", vec.without(run.velocity("roller"), normal), vec.mul(speed, downhill), tolerance),
                near_vector("rate", run.spin("roller"), (0, 0, -rate), tolerance + (0.03 if slips else 0.0))]
    description = scene(d, [body, *bystander(d, radius, normal)], friction=mu,
                        half_spaces=[{"point": [0, 0, 0], "normal": list(normal)}])
    return Case(d.name, d.parameters, description, measure, d.unresolved, peer=kind == "rigid")


def pendulum_period(rate, amplitude):
    """Returns 4 K(sin(amplitude / 2)) / rate, by the mean of Gauss: 2 pi / (rate agm(1, cos(amplitude / 2)))."""
    a, b = 1.0, math.cos(amplitude / 2)
    while a - b > 1e-14:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi / (rate * a)


def pendulum(d):
    """A box on a hinge swings from rest: half a period lies between the first and the second time it passes the bottom.

    T = 4 K(sin(amplitude / 2)) / omega, omega^2 = m g r / I. First order loses omega^2 h of the amplitude squared a
    second, and with it amplitude^2 / 16 of that of the period.
    """
    kind, size, _ = d.body_kind(STIFF), d.size(), d.integrator()
    shape, arm = random_shape(d, size), d.between("arm", 0.3, 1.5) * size
    amplitude = math.radians(d.pick("degrees", (1.0, 5.0, 20.0, 60.0, 90.0, 120.0)))
    rate = math.sqrt(G * arm / (box_inertia(1.0, shape)[2] + arm**2))
    period = pendulum_period(rate, amplitude)
    d.times(0.9 * period, cycles=(1.0, 1.0), most=400, least=80)
    if d.duration < 0.85 * period:
        d.unresolved.append("less than 0.85 periods")
    d.needs("omega h", rate * d.h, 0.1)
    if d.order() < 2:
        d.needs("loss of first order", amplitude**2 / 16 * rate**2 * d.h * 0.75 * period, 0.01)
    joint = {"kind": d.pick("joint", ("hinge", "ball")), "bodies": ["bob", ""], "point": [0, 0, 0], "axis": [0, 0, 1]}
    at = vec.mul(arm, (math.sin(amplitude), -math.cos(amplitude), 0))
    bob = box("bob", kind, shape, at, (0, 0, math.degrees(amplitude)), d.density())

    def measure(run):
        times = crossings([(n * d.h, run.position("bob", i)[0]) for i, n in enumerate(run.numbers)])
        half = times[1] - times[0] if len(times) > 1 else 0.0
        return [near("half period", half, 0.5 * period)]
    return Case(d.name, d.parameters, scene(d, [bob, *bystander(d, size)], "all", joints=[joint]), measure,
                d.unresolved, peer=kind == "rigid")


def crossings(series):
    """Returns the times at which a series of (time, value) changes its sign, with straight lines between its
    entries."""
    return [t0 - x0 * (t1 - t0) / (x1 - x0) for (t0, x0), (t1, x1) in zip(series, series[1:]) if x0 * x1 < 0
            or x1 == 0 and x0 != 0]


def slider(d):
    """A body on a slider: v = (F / m + g along the axis) t, and not off the axis."""
    kind, size, _ = d.body_kind(STIFF), d.size(), d.integrator()
    shape, axis = random_shape(d, size), d.direction("axis")
    axis = vec.unit(axis)
    push = d.between("push", -2.0, 2.0) * G
    if abs(push - G * axis[1]) < 0.3 * G:
        push += G if push > G * axis[1] else -G
    density = d.density()
    mass = density * shape[0] * shape[1] * shape[2]
    wave = d.note("wave", d.chance(0.4))  # the effort is push (1 - cos(2 pi t / T)): the same impulse
    d.times(math.sqrt(size / G))
    effort = f"{push * mass!r} * (1 - cos(2 * pi * t / {d.duration!r}))" if wave else repr(push * mass)
    joint = {"kind": "slider", "bodies": ["body", ""], "point": [0, 0, 0], "axis": list(axis), "effort": effort}
    body = box("body", kind, shape, (0, 0, 0), [d.between(f"turn_{a}", 0.0, 90.0) for a in "xyz"], density)
    velocity = vec.mul((push - G * axis[1]) * d.duration, axis)

    def measure(run):
        return [near_vector("velocity", run.velocity("body"), velocity),
                near_vector("off the axis", vec.without(run.displacement("body"), axis), (0, 0, 0), 1e-3, size)]
    return Case(d.name, d.parameters, scene(d, [body, *bystander(d, size)], joints=[joint]), measure, d.unresolved)


def brake(d):
    """A pad on a slider presses with N on a wheel on a hinge: omega = omega0 - mu N r t / I.

    The wheel has 256 sides. A pad of mass p loses its speed up and down at each: a torque of p omega^2 r^2 pi / 256,
    which the light pad here keeps below 2 % of the brake's.
    """
    kind, radius, _ = d.body_kind(STIFF), d.size(), d.integrator()
    mu, density, gap = d.between("mu", 0.1, 1.0), d.density(), d.log("gap", 1e-5, 1e-4) * radius
    mesh = wheel(radius, 0.5 * radius, SIDES)
    k = inertia_z(mesh) / radius**2
    mass = density * mass_properties(mesh)[0]
    angle = d.log("angle", 0.5, 4.0)  # by which it would turn without the brake
    d.times(math.sqrt(radius / G), least=80)
    rate = angle / d.duration
    share = d.between("share", 0.3, 0.7)  # share of the rate that the brake takes
    normal = share * rate * k * mass * radius / (mu * d.duration)
    d.needs_turning(rate, angle)
    pad_density = 0.02 * density
    pad = box("pad", kind, (0.6 * radius, 0.2 * radius, radius), (0, 1.1 * radius + gap, 0), density=pad_density)
    body = mesh_body("wheel", kind, mesh, (0, 0, 0), (0, 0, 0), density, angular_velocity=[0, 0, math.degrees(rate)])
    joints = [{"kind": "hinge", "bodies": ["wheel", ""], "point": [0, 0, 0], "axis": [0, 0, 1]},
              {"kind": "slider", "bodies": ["pad", ""], "point": [0, radius, 0], "axis": [0, 1, 0],
               "effort": repr(-normal)}]

    def measure(run):
        return [near("rate", run.spin("wheel")[2], (1 - share) * rate, GAP_TOLERANCE, rate)]
    description = scene(d, [body, pad, *bystander(d, radius)], gravity=(0, 0, 0), friction=mu, joints=joints)
    return Case(d.name, d.parameters, description, measure, d.unresolved)


KINDS = (fall, hinge, torque, tumble, spin, roll, pendulum, slider, brake)
