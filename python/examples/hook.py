"""A hook with less stress from the same plastic: its outline follows the derivatives by the shape at rest.

Every step moves the outline along a smoothed gradient, at a fixed area, and the inside follows; a step is shortened
until the energy at the most strained place falls and no element is turned over. A picture shows both hooks."""

import sys
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import clearance as cl

short = "--short" in sys.argv
across, along = (4, 24) if short else (8, 60)
warnings.simplefilter("ignore", cl.ClearanceWarning)
E, nu = 2e6, 0.35
mu, lam = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))

# A strip along a straight shank and three quarters of a ring, in metres.
arc = np.linspace(0, 1, along + 1)
shank, turn = 0.06, 1.25 * np.pi
length = shank + 0.03 * turn
angle = np.maximum(arc * length - shank, 0) / 0.03
middle = np.where((arc * length < shank)[:, None], np.c_[0 * arc, shank - arc * length],
                  np.c_[0.03 * (1 - np.cos(angle)), -0.03 * np.sin(angle)])
normal = np.c_[np.cos(angle), np.sin(angle)]
width = np.linspace(-0.5, 0.5, across + 1) * 0.012
rest = (middle[:, None] + width[:, None] * normal[:, None]).reshape(-1, 2)
corner = np.arange(along)[:, None] * (across + 1) + np.arange(across)
quads = np.stack([corner, corner + across + 1, corner + across + 2, corner + 1], axis=-1).reshape(-1, 4)
triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
sides = np.arange(along + 1)[:, None] * (across + 1) + [0, across]  # the outline: two vertices on each section
held, loaded = arc * length < 0.01, np.abs(angle - 0.5 * np.pi) < 0.35  # sections that stay as they are


def areas(x):
    a, b = x[triangles[:, 1]] - x[triangles[:, 0]], x[triangles[:, 2]] - x[triangles[:, 0]]
    return 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


if areas(rest).sum() < 0:
    triangles = triangles[:, ::-1].copy()


def loaded_hook(rest):
    """Returns the positions under the load, and the way back from derivatives by them to those by the shape."""
    scene = cl.Scene(dimension=2, gravity=[0, 0, 0], time={"step": 1, "duration": 1, "integrator": "quasi_static"})
    inside = np.flatnonzero(np.repeat(loaded, across + 1)).tolist()
    scene.add_body("hook", order=1,
                   mesh=cl.Mesh(np.c_[rest, 0 * rest[:, 0]], triangles=triangles, dimension=2),
                   material={"youngs_modulus": E, "poisson_ratio": nu},
                   motions=[{"region": {"nodes": np.flatnonzero(np.repeat(held, across + 1)).tolist()}}],
                   loads=[{"kind": "force", "value": [0, -50, 0], "region": {"nodes": inside}}])
    run = cl.record(scene)
    return run.positions()[:, :2], lambda seed: run.backward(np.c_[seed, 0 * seed[:, 0]]).shape[:, :2]


def peak(rest):
    """Returns the 8-norm of the elastic energy density [J/m^3], its derivatives by the shape, the density and the
    positions."""
    x, back = loaded_hook(rest)
    d_rest = np.stack([rest[triangles[:, 1]] - rest[triangles[:, 0]], rest[triangles[:, 2]] - rest[triangles[:, 0]]], axis=-1)
    d_x = np.stack([x[triangles[:, 1]] - x[triangles[:, 0]], x[triangles[:, 2]] - x[triangles[:, 0]]], axis=-1)
    inverse, area = np.linalg.inv(d_rest), areas(rest)
    f = d_x @ inverse
    j, f_inv_t = np.linalg.det(f), np.linalg.inv(f).transpose(0, 2, 1)
    psi = 0.5 * mu * ((f**2).sum(axis=(1, 2)) - 2) - mu * np.log(j) + 0.5 * lam * np.log(j)**2  # neo-Hookean
    stress = mu * (f - f_inv_t) + lam * np.log(j)[:, None, None] * f_inv_t
    norm = (area * psi**8).sum()**0.125 / area.sum()**0.125
    by_psi = area * psi**7 * norm / (area * psi**8).sum()
    by_area = 0.125 * norm * (psi**8 / (area * psi**8).sum() - 1 / area.sum())
    by_dx = by_psi[:, None, None] * stress @ inverse.transpose(0, 2, 1)
    by_drest = -(f.transpose(0, 2, 1) @ by_dx) + (by_area * area)[:, None, None] * inverse.transpose(0, 2, 1)

    def to_vertices(by_edges):
        seed = np.zeros_like(rest)
        for k in (0, 1):
            np.add.at(seed, triangles[:, k + 1], by_edges[:, :, k])
            np.add.at(seed, triangles[:, 0], -by_edges[:, :, k])
        return seed

    return norm, back(to_vertices(by_dx)) + to_vertices(by_drest), psi, x


def smoothed(rows, length=along / 12):
    """Returns (1 - length^2 Laplacian)^-2 of rows along the strip, which are zero at sections that stay."""
    free = np.flatnonzero(~(held | loaded))
    matrix = np.eye(along + 1) + length**2 * (2 * np.eye(along + 1) - np.eye(along + 1, k=1) - np.eye(along + 1, k=-1))
    matrix[along, along] = 1 + length**2
    result = np.zeros_like(rows)
    matrix = matrix[np.ix_(free, free)]
    result[free] = np.linalg.solve(matrix, np.linalg.solve(matrix, rows[free]))
    return result


share = np.linspace(0, 1, across + 1)[None, :, None]


def spread(outline):
    """Returns the motion of all vertices with the two of the outline on each section, which the inside divides."""
    return ((1 - share) * outline[:, None, 0] + share * outline[:, None, 1]).reshape(-1, 2)


def gathered(by_vertices):
    grid = by_vertices.reshape(along + 1, across + 1, 2)
    return np.stack([((1 - share) * grid).sum(axis=1), (share * grid).sum(axis=1)], axis=1)


value, slope, psi, x = first = peak(rest)
full, step = areas(rest).sum(), 1e-3
for iteration in range(3 if short else 14):
    by_area = np.zeros_like(rest)  # derivative of the area by the vertices
    for k in range(3):
        edge = rest[triangles[:, (k + 2) % 3]] - rest[triangles[:, (k + 1) % 3]]
        np.add.at(by_area, triangles[:, k], 0.5 * np.c_[-edge[:, 1], edge[:, 0]])
    down, grow = -smoothed(gathered(slope).reshape(along + 1, 4)), smoothed(gathered(by_area).reshape(along + 1, 4))
    of_area = gathered(by_area).reshape(along + 1, 4)
    down -= (of_area * down).sum() / (of_area * grow).sum() * grow
    down *= 1 / np.abs(down).max()
    while step > 1e-6:  # [m]
        lack = (full - areas(rest).sum()) / (of_area * grow).sum()
        trial = rest + spread((step * down + lack * grow).reshape(along + 1, 2, 2))
        if areas(trial).min() > 0.2 * areas(rest).min():
            there = peak(trial)
            if there[0] < value:
                break
        step *= 0.5
    if step <= 1e-6:
        break
    rest, (value, slope, psi, x) = trial, there
    step *= 1.5

figure, axes = plt.subplots(1, 2, figsize=(7, 4.5), sharex=True, sharey=True, layout="constrained")
for axis, (_, _, density, shape), title in zip(axes, (first, (value, slope, psi, x)), ("before", "after")):
    drawn = axis.tripcolor(shape[:, 0], shape[:, 1], triangles, density / 1e3, vmin=0, vmax=first[2].max() / 1e3)
    axis.set(aspect="equal", title=f"{title}: at most {density.max() / 1e3:.2f} kJ/m³")
figure.colorbar(drawn, ax=axes, label="elastic energy density [kJ/m³]")
figure.savefig("hook.png", dpi=120)
print(f"energy density at most {first[2].max() / 1e3:.2f} kJ/m^3 before and {psi.max() / 1e3:.2f} after, area "
      f"{100 * (areas(rest).sum() / full - 1):+.2f} %; picture: hook.png")
