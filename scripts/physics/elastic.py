"""Elastic bodies: bars, blocks and beams under loads, their waves, and contact of round bodies.

Static quantities are measured after a slow, smooth rise of the load, s(t) = t / R - sin(2 pi t / R) / (2 pi): it leaves
at most 8 pi^2 / (omega R)^3 of a vibration of frequency omega. The measured quantity is the mean over the time
after it.
"""

import math

from . import linear_fem
from . import vectors as vec
from .case import G, GAP_TOLERANCE, Case, near
from .scenes import FLOOR, box, bystander, cap, grid_mesh, mesh_body, scene

SLOW = 12.6  # least omega R: two periods


class Ramp:
    """The rise of a load over the first two thirds of the time."""

    def __init__(self, d):
        self.rise = d.duration * 2 / 3

    def formula(self, value):
        r = repr(self.rise)
        return f"{value!r} * (t < {r} ? t / {r} - sin(2 * pi * t / {r}) / (2 * pi) : 1)"

    def formulas(self, vector):
        return [self.formula(c) for c in vector]

    def frames(self, run):
        """Returns the frames after the rise."""
        return [i for i in range(len(run.numbers)) if run.time(i) >= self.rise]


def static_times(d):
    """Draws h and steps of a load that rises slowly; 1 ms <= h <= 50 ms."""
    h = math.exp(d.uniform(math.log(1e-3), math.log(0.05)))
    return d.steps(float(f"{h:.3g}"), d.randint(45, 120) if d.chance(0.85) else d.randint(8, 30))


def slow_young(d, density, length, low=1e4, high=1e12):
    """Draws E such that the rise is slow for the lowest axial frequency of the body, (pi / 2) c / length."""
    speed = SLOW / (d.duration * 2 / 3) * 2 * length / math.pi
    least = max(low, density * speed**2)
    return d.log("young", min(least, high), high)


def mean_gap(run, name, axis, frames):
    """Returns the distance [m] between the means of the vertices on the two ends of a box along an axis; mean of the
    frames."""
    start = [p[axis] for p in run.points(name, 0)]
    low, high = min(start), max(start)
    ends = [[i for i, x in enumerate(start) if abs(x - end) < 1e-6 * (high - low)] for end in (low, high)]
    total = 0.0
    for frame in frames:
        x = [p[axis] for p in run.points(name, frame)]
        total += sum(x[i] for i in ends[1]) / len(ends[1]) - sum(x[i] for i in ends[0]) / len(ends[0])
    return total / len(frames)


def mean_energy(run, key, since):
    """Returns that energy [J]: mean over the steps since a time."""
    values = [s["energy"].get(key, 0.0) for s in run.steps if s["time"] >= since]
    return math.fsum(values) / len(values)


def press(d):
    """A block on the floor under a pressure p on its top: p L / E shorter, nu p w / E wider, energy p^2 V / (2 E).

    Without friction the stress is the same everywhere, for linear elements too.
    """
    size, _ = d.size(), d.integrator()
    d.note("body", "deformable")
    shape, gap = (size, d.between("tall", 0.5, 1.5) * size, size), d.log("gap", 1e-5, 1e-4) * size
    density, poisson, strain = d.density(), d.between("poisson", 0.1, 0.45), d.log("strain", 1e-4, 3e-3)
    static_times(d)
    young, ramp = slow_young(d, density, shape[1]), Ramp(d)
    load = {"kind": "traction", "expression": ramp.formulas((0, -strain * young, 0)),
            "region": {"box": [[-1, 0.999, -1], [2, 1.001, 2]], "frame": "body", "surface_only": True}}
    block = box("block", "deformable", shape, (0, 0.5 * shape[1] + gap, 0), density=density, young=young,
                resolution=(3, 3, 3), poisson=poisson, loads=[load])

    def measure(run):
        frames = ramp.frames(run)
        shorter = shape[1] - mean_gap(run, "block", 1, frames)
        wider = mean_gap(run, "block", 0, frames) - size
        checks = [near("shorter", shorter, strain * shape[1], GAP_TOLERANCE),
                  near("wider", wider, poisson * strain * size, GAP_TOLERANCE, strain * size)]
        if d.damps():
            volume = shape[0] * shape[1] * shape[2]
            checks.append(near("energy", mean_energy(run, "elastic", ramp.rise), 0.5 * strain**2 * young * volume, 0.1))
        return checks
    description = scene(d, [block, *bystander(d, size)], "all", gravity=(0, 0, 0), half_spaces=[FLOOR])
    return Case(d.name, d.parameters, description, measure, d.unresolved)


def uniaxial_energy(stretch, young, poisson):
    """Returns the neo-Hookean energy density [Pa] of a free bar of that stretch: the least over the stretch b across.

    W = mu/2 (a^2 + 2 b^2 - 3) - mu ln J + la/2 (ln J)^2, J = a b^2; dW/db = 0 is mu (b^2 - 1) + la ln J = 0.
    """
    mu, la = young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    low, high = 0.5, 2.0
    for _ in range(100):
        b = 0.5 * (low + high)
        low, high = (low, b) if mu * (b * b - 1) + la * math.log(stretch * b * b) > 0 else (b, high)
    log_j = math.log(stretch * b * b)
    return 0.5 * mu * (stretch**2 + 2 * b * b - 3) - mu * log_j + 0.5 * la * log_j**2


def squash(d):
    """A block between two plates that close in by 0.5 to 5 %: its elastic energy is that of a neo-Hookean bar.

    The strain is that of the distance of the plates in the end, and of the two gaps (min_distance, as reported).
    """
    size, integrator = d.size(), d.integrator()
    d.note("body", "deformable")
    strain, gap = d.log("strain", 5e-3, 0.05), d.log("gap", 1e-4, 1e-3)
    density, poisson = d.density(), d.between("poisson", 0.1, 0.45)
    static_times(d)
    young, ramp = slow_young(d, density, size), Ramp(d)
    travel = (0.5 * strain + gap) * size
    bodies = [box("block", "deformable", (size,) * 3, (0, 0, 0), density=density, young=young, resolution=(3, 3, 3),
                  poisson=poisson)]
    for name, side in (("top", 1), ("bottom", -1)):
        motion = {"displacement": ramp.formulas((0, -side * travel, 0))}
        bodies.append(box(name, "obstacle", (2 * size, 0.2 * size, 2 * size), (0, side * (0.6 + gap) * size, 0),
                          motions=[motion]))

    def measure(run):
        steps = [s for s in run.steps if s["time"] >= ramp.rise]
        left = sum(s["min_distance"] or 0.0 for s in steps) / len(steps)
        stretch = 1 - strain - 2 * left / size
        return [near("energy", mean_energy(run, "elastic", ramp.rise),
                     uniaxial_energy(stretch, young, poisson) * size**3, GAP_TOLERANCE)]
    description = scene(d, [*bodies, *bystander(d, size, (1, 0, 0))], "all", gravity=(0, 0, 0))
    return Case(d.name, d.parameters, description, measure, d.unresolved)


CLAMP = {"linear_velocity": [0, 0, 0]}


def hang(d):
    """A bar hangs from its top: longer by rho g L^2 / (2 E), exact at the nodes of linear elements (nu = 0)."""
    size, integrator = d.size(), d.integrator(["quasi_static"])
    d.note("body", "deformable")
    shape, density = (0.2 * size, size, 0.2 * size), d.density()
    weight = density * G * size
    strain = d.log("strain", max(1e-6, weight / 1e12), min(1e-3, weight / 1e4))
    d.times(math.sqrt(size / G), cycles=(2.0, 6.0), most=100)
    young = d.note("young", weight / strain)
    clamp = {**CLAMP, "region": {"box": [[-1, 0.999, -1], [2, 1.001, 2]], "frame": "body"}}
    ramp = Ramp(d)
    loads = [] if integrator == "quasi_static" else [{"kind": "acceleration", "expression": ramp.formulas((0, -G, 0))}]
    bar = box("bar", "deformable", shape, (0, 0, 0), density=density, young=young, resolution=(1, 8, 1), poisson=0.0,
              motions=[clamp], loads=loads)

    def measure(run):
        longer = mean_gap(run, "bar", 1, ramp.frames(run)) - size
        return [near("longer", longer, 0.5 * strain * size)]
    description = scene(d, [bar, *bystander(d, size)], "all", gravity=(0, -G if integrator == "quasi_static" else 0, 0))
    return Case(d.name, d.parameters, description, measure, d.unresolved)


def cantilever(d):
    """A beam clamped at one end bends by 0.2 to 1 % of its length, under its weight or a force on its end.

    The reference is linear elasticity on the same elements: those of a coarse mesh are too stiff for the formulas of
    beams, rho g L^4 A / (8 E I) and F L^3 / (3 E I), which here only choose E or the force.
    """
    size, integrator = d.size(), d.integrator(["quasi_static"])
    d.note("body", "deformable")
    slender, bend, poisson = d.between("slender", 4.0, 8.0), d.log("bend", 2e-3, 1e-2), d.between("poisson", 0.0, 0.4)
    shape, density = (size, size / slender, size / slender), d.density()
    by_weight = d.note("by_weight", d.chance(0.5))
    if by_weight:
        d.times(math.sqrt(size / G), cycles=(2.0, 6.0), most=100)
        young = d.note("young", 1.5 * density * G * size * slender**2 / bend)
    else:
        static_times(d)
        # The lowest frequency is 3.516 sqrt(E I / (rho A)) / L^2 = 1.015 c / (slender L): 1.55 slender times slower
        young = slow_young(d, density, 1.55 * slender * size)
    ramp = Ramp(d)
    clamp = {**CLAMP, "region": {"box": [[-0.001, -1, -1], [0.001, 2, 2]], "frame": "body"}}
    end_force = 3 * young * shape[1] ** 4 / 12 * bend / size**2
    if by_weight:
        load = {"kind": "acceleration", "expression": ramp.formulas((0, -G, 0))}
    else:
        load = {"kind": "force", "expression": ramp.formulas((0, -end_force, 0)),
                "region": {"box": [[0.999, -1, -1], [1.001, 2, 2]], "frame": "body", "surface_only": True}}
    statically = by_weight and integrator == "quasi_static"
    beam = box("beam", "deformable", shape, (0, 0, 0), density=density, young=young, resolution=(10, 2, 2),
               poisson=poisson, motions=[clamp],
               loads=[] if statically else [load])

    def measure(run):
        tip = end_vertices(run, "beam", 0, max)
        reference = bending(run, "beam", young, poisson, density if by_weight else 0.0, 0.0 if by_weight else end_force)
        expected = -sum(reference[3 * i + 1] for i in tip) / len(tip)
        start = run.points("beam", 0)
        frames = ramp.frames(run)
        bent = sum(start[i][1] - run.points("beam", f)[i][1] for f in frames for i in tip) / len(tip) / len(frames)
        return [near("bent", bent, expected)]
    description = scene(d, [beam, *bystander(d, size)], "all", gravity=(0, -G if statically else 0, 0))
    return Case(d.name, d.parameters, description, measure, d.unresolved)


def end_vertices(run, name, axis, which):
    start = [p[axis] for p in run.points(name, 0)]
    end, extent = which(start), max(start) - min(start)
    return [i for i, x in enumerate(start) if abs(x - end) < 1e-6 * extent]


def bending(run, name, young, poisson, density, end_force):
    """Returns displacements of the linear reference, clamped at the lowest x, under its weight or a force -y on its
    end."""
    ids = run.vertices[name]
    place = {v: n for n, v in enumerate(ids)}
    points = run.points(name, 0)
    tetrahedra = [tuple(place[v] for v in t) for t in run.tetrahedra[name]]
    force = [0.0] * (3 * len(points))
    tip = set(end_vertices(run, name, 0, max))
    for tetrahedron in tetrahedra:
        _, volume = linear_fem.gradients(points, tetrahedron)
        for i in tetrahedron:
            force[3 * i + 1] -= density * volume / 4 * G
        face = [i for i in tetrahedron if i in tip]
        if len(face) == 3 and end_force:
            a, b, c = (points[i] for i in face)
            share = 0.5 * vec.norm(vec.cross(vec.sub(b, a), vec.sub(c, a))) / (extent(points, 1) * extent(points, 2))
            for i in face:
                force[3 * i + 1] -= end_force * share / 3
    held = {3 * i + k for i in end_vertices(run, name, 0, min) for k in range(3)}
    return linear_fem.solve(linear_fem.stiffness(points, tetrahedra, young, poisson), force, held)


def extent(points, axis):
    return max(p[axis] for p in points) - min(p[axis] for p in points)


def rod(d):
    """A bar clamped at one end starts with one velocity along it: its end returns through its place at 2 L / c.

    c = sqrt(E / rho) (nu = 0); the period of the lowest mode is 4 L / c, omega = pi c / (2 L).
    """
    d.note("body", "deformable")
    d.integrator()
    density, omega_h = d.density(), d.log("omega_h", 0.03, 0.1 if d.chance(0.8) else 0.4)
    slowest = math.sqrt(1e4 / density)
    size = d.size(slowest * math.pi * 1.1e-3 / (2 * omega_h), 100.0)
    speeds = [omega_h * 2 * size / (math.pi * h) for h in (0.05, 1e-3)]
    speed = d.log("c", max(slowest, speeds[0]), min(math.sqrt(1e12 / density), speeds[1]))
    h = d.note("h", omega_h * 2 * size / (math.pi * speed))
    d.steps(h, 1.3 * math.pi / omega_h)
    d.needs("omega h", omega_h, 0.1)
    young, strain = density * speed**2, d.log("strain", 1e-4, 1e-3)
    clamp = {**CLAMP, "region": {"box": [[-0.001, -1, -1], [0.001, 2, 2]], "frame": "body"}}
    bar = box("bar", "deformable", (size, 0.1 * size, 0.1 * size), (0, 0, 0), density=density, young=young,
              resolution=(16, 1, 1), poisson=0.0,
              motions=[clamp], linear_velocity=[strain * speed, 0, 0])

    def measure(run):
        tip, start = end_vertices(run, "bar", 0, max), run.points("bar", 0)
        moved = [(run.time(f), sum(run.points("bar", f)[i][0] - start[i][0] for i in tip) / len(tip))
                 for f in range(len(run.numbers))]
        back = next((t0 + (t1 - t0) * x0 / (x0 - x1) for (t0, x0), (t1, x1) in zip(moved[1:], moved[2:])
                     if x0 > 0 >= x1), 0.0)
        return [near("return", back, 2 * size / speed)]
    description = scene(d, [bar, *bystander(d, size)], "all", gravity=(0, 0, 0))
    return Case(d.name, d.parameters, description, measure, d.unresolved)


def hertz(d):
    """A rigid ball is pressed into a block, quasi-statically: F = 4/3 E / (1 - nu^2) sqrt(R) u^1.5 (Hertz).

    u is how far the block's surface sinks below the ball (as far as the ball, but for the gap: 15 %). The block is
    clamped D = 12 contact radii below: u is larger in a half-space, by F (1 + nu) (3 - 2 nu) / (2 pi E D) (Boussinesq).
    Elements of 0.4 contact radii are too stiff by a tenth (0.5: by 15 %): allowed are 20 %.
    """
    radius = d.size()
    d.note("body", "deformable")
    d.note("integrator", "quasi_static")
    reach, poisson, young = d.between("contact_over_ball", 0.03, 0.1), d.between("poisson", 0.1, 0.4), d.log("young",
                                                                                                             1e4, 1e12)
    a = reach * radius
    depth = a * a / radius
    d.h = d.note("h", 0.01)
    d.count = d.note("steps", 4)
    d.duration = d.h * d.count
    steps = [0.0, 0.4, 0.8, 1.2, 1.8, 3.0, 6.0, 12.0]
    across = [-x * a for x in reversed(steps[1:])] + [x * a for x in steps]
    down = [-x * a for x in reversed(steps)]
    clamp = {**CLAMP, "region": {"box": [[-1, -1, -1], [2, 0.001, 2]], "frame": "body"}}
    block = {"name": "block", "kind": "deformable", "mesh": "block.msh", "motions": [clamp],
             "material": {"density": d.density(), "youngs_modulus": young, "poisson_ratio": poisson}}
    gap = 0.01 * depth
    ball = mesh_body("ball", "obstacle", cap(radius, 2 * a, 12, 24), (0, gap, 0),
                     motions=[{"linear_velocity": [0, -(depth + gap) / d.duration, 0]}])

    def measure(run):
        centre = min(range(len(run.vertices["block"])), key=lambda i: vec.norm(run.points("block", 0)[i]))
        sunk, force = -run.points("block")[centre][1], -math.fsum(f[1] for f in run.forces("block"))
        deeper = force * (1 + poisson) * (3 - 2 * poisson) / (2 * math.pi * young * 12 * a)
        theory = 4 / 3 * young / (1 - poisson**2) * math.sqrt(radius) * max(1e-9 * depth, sunk + deeper) ** 1.5
        return [near("sunk", sunk, depth, 0.15), near("force", force, theory, 0.2)]
    description = scene(d, [block, ball], gravity=(0, 0, 0), forces=True)
    return Case(d.name, d.parameters, description, measure, d.unresolved,
                files={"block.msh": grid_mesh(across, down, across)})


def chain(d):
    """Links hang from a fixed one: each is held by the weight below it. Means of contact forces over the second half.

    The wires have flat sides: the links fall a little at the start, as in `levels` with a gap of 2 % of a link.
    """
    kind, size, _ = d.body_kind(("rigid", "affine")), d.size(), d.integrator()
    count, radius = d.whole("count", 1, 3), 0.1 * size
    d.times(math.sqrt(size / G), cycles=(10.0, 16.0), most=200, least=80)
    pitch, density = (size - 4 * radius) * 0.99, d.density()
    generator = {"kind": "link", "size": [size, 0.8 * size, radius], "resolution": [8, 2]}
    bodies = []
    for i in range(count + 1):
        body = {"name": f"link{i}", "kind": kind if i else "obstacle", "generator": generator,
                "transform": {"rotation": [90 * (i % 2), 0, 90], "translation": [0, -pitch * i, 0]}}
        if i:
            body["material"] = {"density": density}
        bodies.append(body)
    tolerance = GAP_TOLERANCE + 2 * math.sqrt(2 * G * 0.02 * size) / (G * 0.5 * d.duration)

    def measure(run):
        volume = run.volume("link1")
        weight, frames = density * volume * G, run.second_half()
        checks = []
        for i in range(1, count + 1):
            pull = sum(max(0.0, f[1]) for frame in frames for f in run.forces(f"link{i}", frame)) / len(frames)
            checks.append(near(f"above link{i}", pull, (count + 1 - i) * weight, tolerance))
        return checks
    description = scene(d, bodies, "all", friction=d.between("mu", 0.0, 0.5), forces=True)
    return Case(d.name, d.parameters, description, measure, d.unresolved)


KINDS = (press, squash, hang, cantilever, rod, hertz, chain)
