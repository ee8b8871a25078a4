"""Scenes of rods and grains: 3, 10 and 21 to 23."""

import random

from codim_ipc.bodies import COTTON, cloth, grains, held, obstacle, placed, rods, scene, side, solid
from codim_ipc.files import bundle, row_counts, write_segments

HAIR = {"density": 1300, "youngs_modulus": 4e8, "diameter": 8e-5, "thickness": 8e-5, "bend": 0.01}


def numbers_of(count, num_segments, which):
    """Returns the numbers of some vertices of every line of a bundle; `which` counts along the line, also from its end."""
    return [line * (num_segments + 1) + k % (num_segments + 1) for line in range(count) for k in which]


def braids(folder):
    """Scene 3a: two bundles of hairs side by side are twisted about each other for 3 s."""
    spacing, width = 3e-4, 29 * 3e-4
    bodies = []
    for name, sign in (("left", -1), ("right", 1)):
        middle = sign * (0.5 * width + 5 * spacing)
        places = [(middle - 0.5 * spacing * n + spacing * i, -0.5 * width + spacing * j)
                  for j, n in enumerate(row_counts(30, 14.5)) for i in range(n)]
        vertices, edges = bundle([((x, -0.075, z), (x, 0.075, z)) for x, z in places], 60)
        tops, bottoms = ({"nodes": numbers_of(len(places), 60, which)} for which in ((-2, -1), (0, 1)))
        motions = [held(region, linear_velocity=[0, turn * 0.001, 0], angular_velocity=[0, turn * 270, 0],
                        center=[0, 0, 0], end=3.0) for region, turn in ((tops, -1), (bottoms, 1))]
        bodies.append(rods(name, write_segments(folder / f"{name}.seg", vertices, edges), **HAIR,
                           motions=motions + [held(tops, start=3.0)]))
    return scene(bodies, step=0.01, steps=600, dhat=1e-4, offset=8e-5, friction=0.1, eps_v=1e-4)


def hairs(folder):
    """Scene 3b: a bundle that is held at one end falls across another one that is held at both, above a sphere."""
    spacing, width, rng = 4e-4, 34 * 4e-4, random.Random(3)
    along, across = [], []
    for j, n in enumerate(row_counts(35, 17)):
        for i in range(n):
            start = -0.5 * spacing * n + spacing * i
            along.append(((start, -0.5 * width + spacing * j, -0.1), (start, -0.5 * width + spacing * j, 0.1)))
            shorter = 0.04 * rng.random()
            # The published formula gives the middle of a hair.
            x, half = 0.053 + 0.5 * shorter, 0.5 * (0.2 - shorter)
            y, z = width + spacing + start, -0.5 * width + spacing * j
            across.append(((x - half, y, z), (x + half, y, z)))
    lower = rods("lower", write_segments(folder / "lower.seg", *bundle(along, 50)), **HAIR,
                 motions=[held({"nodes": numbers_of(len(along), 50, (0, -1))})])
    upper = rods("upper", write_segments(folder / "upper.seg", *bundle(across, 50)), **HAIR,
                 motions=[held({"nodes": numbers_of(len(across), 50, (-2, -1))})])
    sphere = obstacle("sphere", "sphere1K.obj", placed(0.066, translation=(0.1, -0.1, 0)))
    return scene([sphere, lower, upper], step=0.01, steps=300, dhat=1e-4, offset=8e-5, friction=0.2, eps_v=1e-4)


def columns():
    """Returns x, z of 25 x 25 columns above the bowl."""
    return [(-0.04 + 0.08 * i / 24, -0.04 + 0.08 * k / 24) for i in range(25) for k in range(25)]


def noodles(folder):
    """Scene 10: 625 noodles fall into a bowl."""
    mesh = write_segments(folder / "noodles.seg", *bundle([((x, 0, z), (x, 0.4, z)) for x, z in columns()], 200))
    bodies = [obstacle("bowl", "bowl.obj", placed(0.7)), rods("noodles", mesh, 160, 1e3, 1.5e-3, 1e-3)]
    return scene(bodies, step=0.02, steps=200, dhat=5e-4, offset=1e-3, friction=0.4, eps_v=1e-5)


def sprinkles(folder):
    """Scene 21: 25,000 stiff rods of one segment fall into a bowl."""
    lines = [((x, 0.01 * k, z), (x, 0.006 + 0.01 * k, z)) for x, z in columns() for k in range(40)]
    mesh = write_segments(folder / "sprinkles.seg", *bundle(lines, 1))
    bodies = [obstacle("bowl", "bowl.obj", placed(0.7)), rods("sprinkles", mesh, 1452, 1e9, 2e-3, 1.5e-3)]
    return scene(bodies, step=0.02, steps=100, dhat=5e-4, offset=1.5e-3, friction=0.15, eps_v=1e-5)


def block_of_grains(counts, low, jitter, seed):
    """Returns the places of grains, 4 mm apart and shifted at random, upwards from y = low and around x = z = 0."""
    rng, spacing = random.Random(seed), 4e-3
    first = (-0.5 * (counts[0] - 1) * spacing, low, -0.5 * (counts[2] - 1) * spacing)
    return [[start + number * spacing + rng.uniform(-jitter, jitter) for start, number in zip(first, (i, j, k))]
            for j in range(counts[1]) for i in range(counts[0]) for k in range(counts[2])]


def granules(folder):
    """Scene 22: 50,000 grains fall onto a sheet that hangs from its corners."""
    low, high = (-1, 1e-4), (1 - 1e-4, 2)
    boxes = [[[x[0], -1, z[0]], [x[1], 2, z[1]]] for x in (low, high) for z in (low, high)]
    corners = {"box": boxes[0], "more_boxes": boxes[1:], "frame": "body"}
    mesh = write_segments(folder / "grains.seg", block_of_grains((10, 500, 10), 4e-3, 5e-4, 22))
    bodies = [obstacle("floor", "square21.obj", placed(8, translation=(0, -0.3, 0))),
              cloth("cloth", "square8K.obj", COTTON, 0.05, 0.1, thickness=2e-3, transform=placed(0.7),
                    motions=[held(corners)]),
              grains("grains", mesh, 1600, 2e-3, 2e-3)]
    return scene(bodies, step=0.01, steps=1000, dhat=1e-3, offset=2e-3, fabric=COTTON,
                 pairs=[("grains", "cloth", 0.05), ("grains", "floor", 0.05)])


def all_in(folder):
    """Scene 23: a net, a soft body, a sheet and grains fall onto each other."""
    places = [-0.475 + 0.05 * i for i in range(20)]
    lines = [((-0.5, 0, z), (0.5, 0, z)) for z in places]
    lines += [((x, (-1e-3, 1e-3)[i % 2], -0.5), (x, (-1e-3, 1e-3)[i % 2], 0.5)) for i, x in enumerate(places)]
    net = write_segments(folder / "net.seg", *bundle(lines, 50))
    middle = 1.208 - 0.5 * 99 * 4e-3
    falling = [[x, y, z - 0.1] for x, y, z in block_of_grains((8, 100, 8), middle, 1.25e-3, 23)]
    mesh = write_segments(folder / "grains.seg", falling)
    bodies = [
        obstacle("floor", "square21.obj", placed(8, translation=(0, -0.5, 0))),
        rods("net", net, 1000, 1e8, 2e-3, 5e-4, motions=[held({"nodes": numbers_of(len(lines), 50, (0, -1))})]),
        grains("grains", mesh, 1600, 2e-3, 5e-4, motions=[held({}, end=4.0)]),
        cloth("cloth", "square26K.obj", COTTON, 0.05, 0.1, thickness=5e-4, transform=placed(0.8, translation=(0, 1, 0)),
              motions=[held({}, end=2.0)]),
        solid("armadillo", "Armadillo13K.vtk", 1000, 1e5, transform=placed(0.003, (-90, 0, 0), (0, 0.8, 0)))]
    parts = (("floor", "net"), ("grains",), ("cloth", "armadillo"))
    between = [(a, b, 0.2) for i in range(3) for k in range(i) for a in parts[i] for b in parts[k]]
    within = [("cloth", "cloth", 0.2), ("cloth", "armadillo", 0.2), ("armadillo", "armadillo", 0.2)]
    return scene(bodies, step=0.02, steps=700, dhat=1e-3, offset=5e-4, fabric=COTTON, pairs=between + within)
