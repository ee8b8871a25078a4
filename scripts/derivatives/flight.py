"""Free and jointed bodies without contact: D01, D02, D14, D19, D21, D25."""

import math

from derivatives.gradient import NotDone, whole
from derivatives.number import Number, atan2, cos, degrees, sin, value_of
from derivatives.scenes import Problem, finer, position, scene_of

NO_CONTACT = {"enabled": False}


def rigid_box(name, size, **others):
    generator = {"kind": "box", "size": size, "resolution": [1, 1, 1]}
    return {"name": name, "kind": "rigid", "generator": generator, **others}


def projectile(p, scheme, of, _case):
    """D01. The second order of BDF2 shows the limit of small steps."""
    step, steps = finer(scheme, p["h"], whole(p["N"]), 4)
    # Differences move by a part of the size, so that a body as large as its way loses the fewest digits.
    body = rigid_box("ball", [1.0, 1.0, 1.0], transform={"translation": [p["x0"], p["y0"], 0.0]},
                     linear_velocity=[p["vx"], p["vy"], 0.0])
    scene = scene_of([body], [position("ball", "ball")], contact=NO_CONTACT, step=step, steps=steps,
                     gravity=[0.0, -p["g"], 0.0], integrator="bdf2" if scheme == "continuum" else scheme)

    def measure(run):
        x, y = run["ball.x"], run["ball.y"]
        if of == "y":
            return y
        return 0.5 * ((x - p["tx"]) * (x - p["tx"]) + (y - p["ty"]) * (y - p["ty"]))
    return Problem(scene, measure, steps)


def spring(p, scheme, _of, _case):
    """D02. The damper acts on the motion of the step, which is of first order: the limit needs short steps."""
    turned = value_of(p["h"]) * math.sqrt(value_of(p["k"]) / value_of(p["m"]))
    step, steps = finer(scheme, p["h"], whole(p["N"]), max(8, math.ceil(160.0 * turned)))
    body = rigid_box("mass", [0.1, 0.1, 0.1], mass=p["m"])
    joint = {"name": "slider", "kind": "slider", "bodies": ["mass", ""], "axis": [1.0, 0.0, 0.0], "stiffness": p["k"],
             "damping": p["c"], "rest": "rest"}
    scene = scene_of([body], [position("mass", "mass")], contact=NO_CONTACT, joints=[joint],
                     controls=[{"name": "rest", "value": p["rest"]}], step=step, steps=steps,
                     integrator="bdf2" if scheme == "continuum" else scheme)
    return Problem(scene, lambda run: run["mass.x"], steps)


def pendulum(p, _scheme, of, _case):
    """D14: a thin rod from a hinge at the origin, which starts at rest at theta0 from the lowest place. Four times the
    time to the lowest place is the period; straight lines between steps of 1e-3 s are exact enough for it."""
    length, theta = p["L"], p["theta0"]
    along = [0.5 * length * sin(theta), -0.5 * length * cos(theta)]
    wide = 0.005 * value_of(length)
    time = value_of(p["t"])
    step = time / max(1, round(time / 1e-3))
    angle = value_of(theta)
    quarter = 0.5 * math.pi * math.sqrt(2 * value_of(length) / 3 / value_of(p["g"])) * (1 + angle ** 2 / 12)
    steps = round(time / step) if of == "theta(t)" else math.ceil(1.1 * quarter / step)
    body = {"name": "rod", "kind": "rigid",
            "generator": {"kind": "rectangle", "size": [wide, length], "resolution": [1, 1]},
            "transform": {"translation": along, "rotation": [0.0, 0.0, degrees(theta)]}}
    joint = {"name": "hinge", "kind": "hinge", "bodies": ["rod", ""], "point": [0.0, 0.0]}
    scene = scene_of([body], [position("rod", "rod")], dimension=2, contact=NO_CONTACT, joints=[joint], step=step,
                     steps=steps, gravity=[0.0, -p["g"]], integrator="bdf2")

    def measure(run):
        angles = [atan2(x, -y) for x, y in zip(run.history("rod.x"), run.history("rod.y"))]
        if of == "theta(t)":
            return angles[-1]
        for i, (a, b) in enumerate(zip(angles, angles[1:])):
            if a.value > 0.0 >= b.value:
                return 4.0 * step * (i + a / (a - b))
        raise NotDone("the rod does not reach its lowest place in the time that the run has")
    return Problem(scene, measure, steps)


def spinning_disk(p, scheme, _of, _case):
    """D19. The angle is that of a vertex of the rim, with its turns."""
    step, steps = finer(scheme, p["h"], whole(p["N"]), 10)
    body = {"name": "disk", "kind": "rigid", "generator": {"kind": "disk", "size": [0.1], "resolution": [2]},
            "angular_velocity": [0.0, 0.0, degrees(p["omega"])]}
    scene = scene_of([body], [position("rim", "disk", point=[0.1, 0.0])], dimension=2, contact=NO_CONTACT, step=step,
                     steps=steps, gravity=[0.0, 0.0], integrator="bdf2" if scheme == "continuum" else scheme)

    def measure(run):
        angles = [atan2(y, x) for x, y in zip(run.history("rim.x"), run.history("rim.y"))]
        turned = sum(math.remainder(b.value - a.value, 2 * math.pi) for a, b in zip(angles, angles[1:]))
        last = angles[-1] - angles[0]
        return Number(turned, last.by)
    return Problem(scene, measure, steps)


def thrust(p, scheme, _of, _case):
    """D21: a load for each step, from before its beginning to before its end."""
    step, steps = value_of(p["h"]), whole(p["N"])
    loads = [{"kind": "force", "value": [p["f"][n], 0.0, 0.0], "start": max(0.0, (n - 0.5) * step),
              "end": (n + 0.5) * step} for n in range(steps)]
    body = rigid_box("body", [0.1, 0.1, 0.1], mass=p["m"], loads=loads)
    scene = scene_of([body], [position("body", "body")], contact=NO_CONTACT, step=step, steps=steps, integrator=scheme)
    return Problem(scene, lambda run: run["body.x"], steps)


def inverse(a):
    """Returns the inverse of a matrix with three rows."""
    def minor(i, j):
        rows = [r for r in range(3) if r != i]
        columns = [c for c in range(3) if c != j]
        return (a[rows[0]][columns[0]] * a[rows[1]][columns[1]] - a[rows[0]][columns[1]] * a[rows[1]][columns[0]])
    determinant = sum((-1) ** j * a[0][j] * minor(0, j) for j in range(3))
    return [[(-1) ** (i + j) * minor(j, i) / determinant for j in range(3)] for i in range(3)]


def identification(program, case):
    """D25: Gauss-Newton with the derivatives of a thrown ball by (y0, v0, g). Newmark's method is exact for it, so that
    the first iteration from a wrong guess has to find the truth. Returns (name, ours, expected, tolerance)."""
    p = case["parameters"]
    names, step, count = ("y0", "v0", "g"), p["dt"], int(p["n"])

    def heights(*guess):
        q = {name: Number(value, {name: 1.0}) for name, value in zip(names, guess)}
        body = rigid_box("ball", [0.1, 0.1, 0.1], transform={"translation": [0.0, q["y0"], 0.0]},
                         linear_velocity=[0.0, q["v0"], 0.0])
        scene = scene_of([body], [position("ball", "ball")], contact=NO_CONTACT, step=step, steps=count,
                         gravity=[0.0, -q["g"], 0.0], integrator="implicit_newmark")
        return program.gradient(scene, count, name="D25").history("ball.y")[1:]

    truth, guess = (1.5, 4.0, 9.80665), (1.2, 3.0, 9.0)
    measured = [truth[0] + truth[1] * t - 0.5 * truth[2] * t * t for t in (step * (i + 1) for i in range(count))]
    found = heights(*guess)
    rows = [[y.derivative(name) for name in names] for y in found]
    normal = [[sum(r[i] * r[j] for r in rows) for j in range(3)] for i in range(3)]
    inverted = inverse(normal)
    pull = [sum(r[i] * (m - y.value) for r, m, y in zip(rows, measured, found)) for i in range(3)]
    checks = [(f"normal[{i}][{j}]", normal[i][j], case["normal_matrix"][i][j], 1e-9)
              for i in range(3) for j in range(i, 3)]
    # The inverse loses digits: the rounding of the normal matrix times its condition.
    checks += [(f"covariance[{i}][{j}]", p["sigma"] ** 2 * inverted[i][j], case["covariance"][i][j], 1e-6)
               for i in range(3) for j in range(i, 3)]
    checks += [(f"deviation of {name}", p["sigma"] * math.sqrt(inverted[i][i]), case["standard_deviations"][i], 1e-6)
               for i, name in enumerate(names)]
    checks += [(f"{name} found", guess[i] + sum(inverted[i][j] * pull[j] for j in range(3)), truth[i], 1e-6)
               for i, name in enumerate(names)]
    return checks


CASES = {"D01": projectile, "D02": spring, "D14": pendulum, "D19": spinning_disk, "D21": thrust}
