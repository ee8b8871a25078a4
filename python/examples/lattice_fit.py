"""The modulus of a printed lattice from its curve of force over compression, through buckling and contact with itself.

The data are a curve with errors of 1 %, computed with a modulus and a ratio of Poisson that the fit does not know.
Levenberg and Marquardt's method takes the derivatives of the whole curve from each run. A picture shows curve and lattice."""

import sys
import warnings
from functools import lru_cache

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import least_squares

import clearance as cl

short = "--short" in sys.argv
warnings.simplefilter("ignore", cl.ClearanceWarning)
cells, fine, steps = (2, 6, 8) if short else (3, 9, 24)  # fine: squares along a cell, a third of them thick walls
size, compression = 0.01, 0.25  # [m] of a cell; share of the height

# Walls of a grid of cells; those that stand are bent a little, so that they know where to buckle.
n = cells * fine + fine // 3
i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
solid = (i % fine < fine // 3) | (j % fine < fine // 3)
number = np.arange((n + 1) * (n + 1)).reshape(n + 1, n + 1)
quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1)[solid]
triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
grid = np.stack(np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij"), axis=-1).reshape(-1, 2) * size / fine
used, triangles = np.unique(triangles, return_inverse=True)
rest, triangles = grid[used], triangles.reshape(-1, 3)
height = rest[:, 1].max()
rest[:, 0] += 0.04 * size * np.sin(2 * np.pi * rest[:, 1] / size)
low, high = np.flatnonzero(rest[:, 1] < 1e-9).tolist(), np.flatnonzero(rest[:, 1] > height - 1e-9).tolist()


def lattice(modulus, ratio):
    scene = cl.Scene(dimension=2, gravity=[0, 0, 0], friction={"coefficient": 0.0},
                     time={"step": 1 / steps, "duration": 1, "integrator": "quasi_static"})
    scene.add_body("lattice", mesh=cl.Mesh(np.c_[rest, 0 * rest[:, 0]], triangles=triangles, dimension=2),
                   material={"youngs_modulus": modulus, "poisson_ratio": ratio},
                   motions=[{"region": {"nodes": low}},
                            {"region": {"nodes": high}, "displacement": ["0", f"-{compression * height} * t", "0"]}])
    scene.add_probe("plate", "reaction", body="lattice", region={"box": [[-1, height - 1e-9, -1], [1, 1, 1]]})
    return scene


def curve(x):
    """Returns the force on the upper plate [N per metre of depth] after each step, and its derivatives."""
    modulus, ratio = 1e6 * np.exp(x[0]), x[1]
    found = cl.gradient(lattice(modulus, ratio), of=["plate.force.y"],
                        by=["bodies[0].material.youngs_modulus", "bodies[0].material.poisson_ratio"])
    return -found.values[1:, 0], -found.derivatives[1:, 0] * [modulus, 1.0]


true = np.array([np.log(2.4), 0.42])
measured = curve(true)[0] * (1 + 0.01 * np.random.default_rng(2).standard_normal(steps))
at = lru_cache(maxsize=None)(lambda *x: curve(x))  # the optimiser asks for values and derivatives separately
spread = 0.01 * measured
start = np.array([0.0, 0.3])
fit = least_squares(lambda x: (at(*x)[0] - measured) / spread, start, lambda x: at(*x)[1] / spread[:, None],
                    bounds=([-5, 0.0], [5, 0.48]), x_scale=[1.0, 0.1], xtol=1e-5)
deviation = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))

run = cl.record(lattice(1e6 * np.exp(fit.x[0]), fit.x[1]))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
shares = 100 * compression * np.arange(1, steps + 1) / steps
left.plot(shares, measured, "kx", label="measured")
left.plot(shares, at(*start)[0], ":", label="start")
left.plot(shares, at(*fit.x)[0], label="fit")
left.set(xlabel="compression [%]", ylabel="force [N/m]")
left.legend()
x = run.positions()
right.tripcolor(x[:, 0], x[:, 1], triangles, np.ones(len(triangles)), cmap="Blues", vmin=0, vmax=1.5)
right.set(aspect="equal", title=f"at {100 * compression:.0f} %")
figure.savefig("lattice_fit.png", dpi=120)
print(f"E = {np.exp(fit.x[0]):.3f} +- {np.exp(fit.x[0]) * deviation[0]:.3f} MPa (true 2.400), nu = {fit.x[1]:.3f} +- "
      f"{deviation[1]:.3f} (true 0.420) from {at.cache_info().misses} runs; picture: lattice_fit.png")
