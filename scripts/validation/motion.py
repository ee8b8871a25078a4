"""Motion: flight, rolling, swinging, spinning and impacts of stiff and elastic bodies."""

import math

from .problem import G, Problem, last, period, position_probe


def scene_of(bodies, step, duration, dimension=3, gravity=True, probes=(), **more):
    return {"dimension": dimension, "time": {"step": step, "duration": duration},
            "gravity": [0, -G if gravity else 0, 0], "bodies": bodies, "output": {"probes": list(probes)}} | more


def stiff(name, generator, kind="rigid", **more):
    return {"name": name, "kind": kind, "generator": generator} | more


def velocity_probe(name, body):
    return {"name": name, "kind": "velocity", "body": body}


# --- stiff bodies ---


def projectile():
    ball = stiff("ball", {"kind": "sphere", "size": [0.05], "resolution": [2]}, linear_velocity=[10, 10, 0])
    scene = scene_of([ball], 0.01, 1.0, probes=[position_probe("ball", "ball")])
    return Problem("projectile", "ball thrown under 45 degrees at 14 m/s, step 10 ms", "Galilei", "height after 1 s, m",
                   10 - G / 2, scene, last("ball.y [m]"))


def brake():
    speed, mu = 2.0, 0.4
    block = stiff("block", {"kind": "box", "size": [0.2, 0.1, 0.2], "resolution": [1]}, linear_velocity=[speed, 0, 0],
                  transform={"translation": [0, 0.0501, 0]})
    scene = scene_of([block], 0.01, 1.0, probes=[position_probe("block", "block")], half_spaces=[{}],
                     friction={"coefficient": mu})
    return Problem("braking", "block that slides at 2 m/s until friction stops it, step 10 ms", "Coulomb", "way, m",
                   speed ** 2 / (2 * mu * G), scene, last("block.x [m]"))


def rolling():
    angle, radius, time = 10.0, 0.1, 1.0
    a = math.radians(angle)
    disc = stiff("disc", {"kind": "disk", "size": [radius], "resolution": [32]},
                 transform={"translation": [-(radius + 1e-4) * -math.sin(a), (radius + 1e-4) * math.cos(a)]})
    scene = scene_of([disc], 0.01, time, 2, probes=[velocity_probe("disc", "disc")], friction={"coefficient": 0.5},
                     half_spaces=[{"point": [0, 0, 0], "normal": [math.sin(a), math.cos(a), 0]}])

    def speed(result):
        return math.hypot(*(result.probe(f"disc.{c} [m/s]")[-1] for c in "xy"))
    return Problem("rolling", "cylinder of 192 sides that rolls down 10 degrees, step 10 ms", "Huygens",
                   "speed after 1 s, m/s",
                   2 / 3 * G * math.sin(a) * time, scene, speed)


def gyroscope():
    radius, arm, spin, time = 0.1, 0.15, 100.0, 1.0
    turn = G * arm / (radius ** 2 / 2 * spin)
    top = stiff("top", {"kind": "cylinder", "size": [radius, 0.02], "resolution": [4, 1]},
                transform={"rotation": [0, 0, -90], "translation": [arm, 0, 0]},
                angular_velocity=[math.degrees(spin), math.degrees(turn), 0], linear_velocity=[0, 0, -turn * arm])
    scene = scene_of([top], 0.001, time, probes=[position_probe("top", "top")],
                     joints=[{"name": "pivot", "kind": "ball", "bodies": ["top", ""], "point": [0, 0, 0]}])

    def angle(result):
        return math.atan2(-result.probe("top.z [m]")[-1], result.probe("top.x [m]")[-1]) % (2 * math.pi)
    return Problem("gyroscope", "disc that spins at 100 rad/s on a horizontal arm, step 1 ms",
                   "Euler; Goldstein, Classical Mechanics",
                   "precession in 1 s, rad", turn * time, scene, angle,
                   note="The disc turns by 0.1 rad in a step. With a step of 0.2 ms the error is 1.1 %.")


def free_top():
    radius, height, density = 0.1, 0.02, 1000.0
    along, across = 30.0, 6.0  # [rad/s]
    top = stiff("top", {"kind": "cylinder", "size": [radius, height], "resolution": [8, 2]},
                angular_velocity=[math.degrees(across), math.degrees(along), 0])
    scene = scene_of([top], 0.001, 0.6, gravity=False, probes=[position_probe("tip", "top", (0, height / 2, 0))])
    # The polygon of 48 sides has the moments of inertia of a circle of a slightly smaller radius.
    sides = 48
    polygon = radius ** 2 * (2 + math.cos(2 * math.pi / sides)) / 3 / 2  # twice the moment per area about a diameter
    own, cross = polygon, polygon / 2 + height ** 2 / 12
    rate = math.hypot(own * along, cross * across) / cross
    return Problem("free_top", "disc that wobbles freely in space, step 1 ms", "Euler 1765", "period of the wobble, s",
                   2 * math.pi / rate, scene, period("tip.z [m]"))


def swing():
    length, amplitude = 1.0, 120.0
    a, b = 1.0, math.cos(math.radians(amplitude) / 2)
    for _ in range(30):
        a, b = (a + b) / 2, math.sqrt(a * b)
    start = math.radians(amplitude)
    rod = stiff("rod", {"kind": "box", "size": [length, 0.02, 0.02], "resolution": [1]},
                transform={"rotation": [0, 0, amplitude - 90],
                           "translation": [length / 2 * math.sin(start), -length / 2 * math.cos(start), 0]})
    scene = scene_of([rod], 0.01, 8.0, probes=[{"name": "h", "kind": "joint", "joint": "h"}],
                     joints=[{"name": "h", "bodies": ["rod", ""], "point": [0, 0, 0], "axis": [0, 0, 1]}])
    return Problem("swing_120", "rod on a hinge that swings by 120 degrees, step 10 ms", "Gauss 1818", "period, s",
                   2 * math.pi * math.sqrt(2 * length / (3 * G)) / a, scene, period("h.angle [deg]", -amplitude))


def spring():
    mass, stiffness = 2.0, 200.0
    block = stiff("block", {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]}, mass=mass,
                  linear_velocity=[0.5, 0, 0])
    scene = scene_of([block], 0.01, 3.0, gravity=False, probes=[position_probe("block", "block")],
                     joints=[{"name": "s", "kind": "slider", "bodies": ["block", ""], "point": [0, 0, 0],
                              "axis": [1, 0, 0],
                              "stiffness": stiffness}])
    return Problem("spring", "mass on a spring, step 10 ms (63 steps a period)", "Hooke", "period, s",
                   2 * math.pi * math.sqrt(mass / stiffness), scene, period("block.x [m]", 0.01))


def cradle(is_guided):
    radius, gap, count = 0.05, 0.005, 5
    balls = [stiff(f"ball{i}", {"kind": "sphere", "size": [radius], "resolution": [4]}, "affine",
                   transform={"translation": [i * (2 * radius + gap), 0, 0]},
                   linear_velocity=[1.0 if i == 0 else 0.0, 0, 0]) for i in range(count)]
    if is_guided:
        balls = [ball | {"fixed_translation": [False, True, True], "fixed_rotation": True} for ball in balls]
    kind = "guided" if is_guided else "free"
    scene = scene_of(balls, 0.001, 0.05, gravity=False, probes=[velocity_probe("end", f"ball{count - 1}")],
                     contact={"restitution": 1.0})
    return Problem(f"cradle_{kind}",
                   f"Newton's cradle of 5 {kind} balls, restitution 1, step 1 ms [the scene sets restitution]",
                   "Newton",
                   "speed of the last ball, m/s", 1.0, scene, last("end.x [m/s]"),
                   note="" if is_guided else "Balls meet vertex on vertex, and the fourth leaves the line. Energy and "
                                             "momentum are kept.")


def wheel_and_torque():
    """A flywheel on a hinge under a constant torque."""
    radius, height, effort, time, density = 0.1, 0.02, 0.5, 2.0, 7850.0
    sides = 96
    area = sides / 2 * radius ** 2 * math.sin(2 * math.pi / sides)
    inertia = density * area * height * radius ** 2 * (2 + math.cos(2 * math.pi / sides)) / 6
    wheel = stiff("wheel", {"kind": "cylinder", "size": [radius, height], "resolution": [16, 1]},
                  material={"density": density})
    scene = scene_of([wheel], 0.01, time, probes=[{"name": "h", "kind": "joint", "joint": "h"}],
                     joints=[{"name": "h", "bodies": ["wheel", ""], "point": [0, 0, 0], "axis": [0, 1, 0],
                              "effort": f"{effort}"}])
    return Problem("flywheel", "steel flywheel under a constant torque, step 10 ms", "Newton",
                   "angle after 2 s, degrees",
                   math.degrees(effort / inertia * time ** 2 / 2), scene, last("h.angle [deg]"),
                   note="The wheel turns by up to 0.4 rad in a step. With a step of 1 ms the error is 0.1 %.")


# --- elastic bodies ---


def beam_swing():
    length, height, young, density, layers = 1.0, 0.05, 1e8, 1000.0, 4
    beam = {"name": "beam", "generator": {"kind": "rectangle", "size": [length, height], "resolution": [80, layers]},
            "transform": {"translation": [length / 2, 0]}, "velocity": ["0", f"0.2 * (x / {length}) ^ 2", "0"],
            "material": {"density": density, "youngs_modulus": young, "poisson_ratio": 0.0},
            "motions": [{"region": {"box": [[-1, -1], [1e-9, 2]], "frame": "body"}}]}
    right = 2 * math.pi * length ** 2 / 3.51602 * math.sqrt(12 * density / (young * height ** 2))
    scene = scene_of([beam], right / 100, 2.6 * right, 2, False, [position_probe("tip", "beam", (length, 0, 0))])
    scene["time"] = {"step": round(right / 100, 6), "duration": round(2.6 * right, 6)}
    return Problem("beam_swing", "cantilever that swings: 80 x 4 cells, 100 steps a period",
                   "Bernoulli; Timoshenko, Vibration Problems",
                   "period, s", right, scene, period("tip.y [m]"),
                   note="Elements are quadratic by default in statics only. Four linear ones through the thickness "
                        "are 18 % too stiff. With order 2 the error is 0.3 %.")


def bars(what):
    """A bar hits its like, which is at rest: they exchange their speeds after 2 L / c."""
    length, height, young, density, speed, gap = 1.0, 0.05, 1e7, 1000.0, 1.0, 2e-3
    wave = math.sqrt(young / density)
    bodies = [{"name": name, "generator": {"kind": "rectangle", "size": [length, height], "resolution": [50, 2]},
               "transform": {"translation": [x, 0]}, "linear_velocity": [v, 0],
               "material": {"density": density, "youngs_modulus": young, "poisson_ratio": 0.0}}
              for name, x, v in (("left", -length / 2 - gap, speed), ("right", length / 2, 0.0))]
    probes = [{"name": "hit", "kind": "contact", "bodies": ["right", "left"]}, velocity_probe("right", "right"),
              velocity_probe("left", "left")]
    scene = scene_of(bodies, 0.0002, 0.03, 2, False, probes)

    def plateau(result):
        forces = [f for _, f in result.series("hit.normal.x [N]") if f > 0]
        inner = forces[len(forces) // 4:3 * len(forces) // 4]
        return math.fsum(inner) / len(inner)

    def contact_time(result):
        forces = result.probe("hit.normal.x [N]")
        return math.fsum(forces) * 0.0002 / plateau(result)
    title = "elastic bar hits its like: 50 cells along each, 100 steps of contact"
    source = "Saint-Venant; Timoshenko and Goodier, Theory of Elasticity, 168"
    return {"force": Problem("bars_force", title, source, "force during the contact, N per metre",
                             density * wave * speed / 2 * height, scene, plateau),
            "time": Problem("bars_time", title, source, "time of contact (impulse over force), s", 2 * length / wave,
                            scene, contact_time),
            "speed": Problem("bars_speed", title, source, "speed of the second bar afterwards, m/s", speed, scene,
                             last("right.x [m/s]"))}[what]


def problems():
    return [projectile(), brake(), rolling(), gyroscope(), free_top(), swing(), spring(), wheel_and_torque(),
            cradle(True), cradle(False),
            beam_swing(), *map(bars, ("force", "time", "speed"))]
