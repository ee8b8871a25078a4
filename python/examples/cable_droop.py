"""How stiff is a cable? Its bending stiffness EI from a photograph of how far it droops from a clamp.

The data are points along a cable of known weight, here computed with another mesh and with errors of half a millimetre.
Gauss and Newton's method takes the derivatives of the whole shape from each run. A picture shows the fit."""

import sys
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import clearance as cl

short = "--short" in sys.argv
warnings.simplefilter("ignore", cl.ClearanceWarning)
length, diameter, density = 0.4, 0.006, 1400.0  # [m], [m], [kg/m^3]
weight = density * np.pi / 4 * diameter**2 * 9.80665  # [N/m]
true_stiffness = 2.0e-3  # [N m^2]


def cable(stiffness, edges):
    """Returns a cable that is clamped at x = 0 and straight at rest."""
    scene = cl.Scene(time={"step": 1, "duration": 1, "integrator": "quasi_static"})
    x = np.r_[-1e-3, 1e-3, length / edges * np.arange(1, edges + 1)]  # the first edge is the clamp
    line = {"vertices": [[place, 0, 0] for place in x.tolist()], "edges": [[k, k + 1] for k in range(edges + 1)]}
    scene.add_body("cable", kind="rod", thickness=diameter, geometry=line, rod={"bending_stiffness": [stiffness] * 2},
                   material={"youngs_modulus": 1e8, "density": density},
                   motions=[{"clamp": True, "region": {"nodes": [0, 1]}}])
    for k in range(1, 9):
        scene.add_probe(f"p{k}", "position", body="cable", point=[length * k / 8, 0, 0])
    return scene


def droop(stiffness, edges):
    """Returns eight points of the cable (8, 2) and their derivatives by the logarithm of the stiffness."""
    by = [f"bodies[0].rod.bending_stiffness[{k}]" for k in (0, 1)]
    of = [f"p{k}.{axis}" for k in range(1, 9) for axis in "xy"]
    found = cl.gradient(cable(stiffness, edges), by=by, of=of)
    return found.values[-1].reshape(8, 2), stiffness * found.derivatives[-1].sum(axis=1).reshape(8, 2)


photo = droop(true_stiffness, 32 if short else 80)[0] + np.random.default_rng(1).normal(scale=5e-4, size=(8, 2))
edges, stiffness, tried = 24 if short else 64, 5e-3, []
while True:
    points, slope = droop(stiffness, edges)
    tried.append((stiffness, points))
    change = ((photo - points) * slope).sum() / (slope**2).sum()
    if abs(change) < 1e-6 or len(tried) > 12:
        break
    stiffness *= np.exp(np.clip(change, -1, 1))
scatter = np.sqrt(((photo - points)**2).sum() / (points.size - 1))
deviation = stiffness * scatter / np.sqrt((slope**2).sum())
small = weight * length**4 / 8 / -photo[-1, 1]

for value, points in tried:
    last = value == stiffness
    plt.plot(*np.vstack([[0, 0], points]).T, "-" if last else ":", label=f"EI = {1e3 * value:.3f} mN m²")
plt.plot(*photo.T, "kx", label="photograph")
plt.axis("equal")
plt.xlabel("x [m]")
plt.ylabel("y [m]")
plt.legend()
plt.savefig("cable_droop.png", dpi=120)
print(f"EI = {1e3 * stiffness:.3f} +- {1e3 * deviation:.3f} mN m^2 after {len(tried)} runs (true {1e3 * true_stiffness:.3f}; "
      f"w L^4 / 8 d, which is for small deflections, {1e3 * small:.3f}); picture: cable_droop.png")
