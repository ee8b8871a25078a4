"""Random hard impacts: 1000 m/s, Young's moduli from 1e3 to 1e11 Pa, one to four bodies in the plane or in space."""

import random

SPEED = 1000.0  # [m/s]
STEPS = 20


def material(draw):
    return {"model": draw.choice(["neo_hookean", "neo_hookean", "fixed_corotational"]), "density": 10 ** draw.uniform(2, 4),
            "youngs_modulus": 10 ** draw.uniform(3, 11), "poisson_ratio": draw.uniform(0.1, 0.45)}


def shape(draw, dimension, size):
    if dimension == 2:
        if draw.random() < 0.5:
            return {"kind": "disk", "size": [size / 2], "resolution": [draw.randint(2, 6)]}
        return {"kind": "rectangle", "size": [size, size * draw.uniform(0.2, 1)],
                "resolution": [draw.randint(2, 10), draw.randint(1, 6)]}
    kind = draw.random()
    if kind < 0.35:
        return {"kind": "sphere", "size": [size / 2], "resolution": [draw.randint(2, 4)]}
    if kind < 0.75:
        return {"kind": "box", "size": [size, size * draw.uniform(0.1, 1), size * draw.uniform(0.3, 1)],
                "resolution": [draw.randint(1, 6), draw.randint(1, 3), draw.randint(1, 6)]}
    if kind < 0.9:
        return {"kind": "torus", "size": [size * 0.35, size * 0.12], "resolution": [draw.randint(8, 14), 1]}
    return {"kind": "cylinder", "size": [size * 0.3, size], "resolution": [draw.randint(1, 2), draw.randint(2, 5)]}


def impact_scene(seed, max_iterations):
    """Returns a scene in which the first body flies at the others, and all that remain at a wall."""
    draw = random.Random(seed)
    dimension = 2 if draw.random() < 0.3 else 3
    size = 10 ** draw.uniform(-2, 1)
    num_bodies = draw.randint(1, 3)
    toward = [1.0, draw.uniform(-0.3, 0.3), draw.uniform(-0.3, 0.3) if dimension == 3 else 0.0]
    bodies, x = [], 0.0
    for number in range(num_bodies):
        own_size = size * 10 ** draw.uniform(-0.3, 0.3)
        generator, law = shape(draw, dimension, own_size), material(draw)
        turns = [0, 0, draw.uniform(0, 360)] if dimension == 2 else [draw.uniform(0, 360) for _ in range(3)]
        place = [x, draw.uniform(-0.2, 0.2) * size, draw.uniform(-0.2, 0.2) * size if dimension == 3 else 0]
        bodies.append({"name": f"b{number}", "generator": generator, "material": law,
                       "transform": {"rotation": turns, "translation": place},
                       "linear_velocity": [SPEED * t for t in toward] if number == 0 else [0, 0, 0]})
        x += 2.9 * size * draw.uniform(1.0, 1.3)
    step = size / SPEED * 10 ** draw.uniform(-0.8, 0.7)
    scene = {"dimension": dimension, "gravity": [0, -9.81, 0],
             "time": {"step": step, "duration": STEPS * step,
                      "integrator": draw.choice(["implicit_euler"] * 4 + ["bdf2", "implicit_newmark"])},
             "friction": {"coefficient": draw.choice([0, 0, 0.3, 1.0])}, "solver": {"max_iterations": max_iterations},
             "bodies": bodies}
    if num_bodies == 1 or draw.random() < 0.5:
        if dimension == 3 and draw.random() < 0.5:
            bodies.append({"name": "wall", "kind": "obstacle", "transform": {"translation": [x + size, 0, 0]},
                           "generator": {"kind": "box", "size": [size * 0.3, size * 8, size * 8], "resolution": [1, 3, 3],
                                         "is_surface": True}})
        else:
            scene["half_spaces"] = [{"point": [x, 0, 0], "normal": [-1, 0, 0]}]
    return scene
