"""A pusher learns how to move: its path is optimised so that a soft box stops on a mark.

The pusher's distance is a polynomial of the time with three free numbers. One run and one backward pass a trial give
the derivatives of the miss by them, through contact and friction."""

import sys
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import clearance as cl

short = "--short" in sys.argv
mark, duration = 0.15, 0.8
warnings.simplefilter("ignore", cl.ClearanceWarning)


def scene_of(numbers):
    """Returns a box that a rigid plate pushes along x. The plate begins at rest beside the box, so that no impact counts,
    and comes back at the end."""
    scene = cl.Scene(time={"step": 0.02 if short else 0.01, "duration": duration}, friction={"coefficient": 0.4})
    for name, value in zip("abc", numbers):
        scene.add_control(name, float(value))
    scene.add_body("box", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
                   material={"youngs_modulus": 2e5}, transform={"translation": [0, 0.0505, 0]})
    path = f"(t/{duration})^2*(1-t/{duration})^2*(a+b*t/{duration}+c*(t/{duration})^2)"
    scene.add_body("plate", kind="rigid", generator={"kind": "box", "size": [0.02, 0.08, 0.14], "resolution": [1, 1, 1]},
                   transform={"translation": [-0.0602, 0.05, 0]}, motions=[{"displacement": [path, "0", "0"]}])
    scene.add_half_space()
    scene.add_probe("box", "position", body="box")
    return scene


trials = []


def miss(numbers):
    """Returns the squared miss of the mark and a small price of long paths [cm^2], and their derivatives."""
    run = cl.record(scene_of(numbers))
    x = run.probes["box.x [m]"]
    by_controls = run.backward(of={"box.x": 2e4 * (x[-1] - mark)}).controls.sum(axis=0)
    trials.append((run.times, x))
    return 1e4 * (x[-1] - mark) ** 2 + 1e-3 * numbers @ numbers, by_controls + 2e-3 * numbers


found = minimize(miss, np.array([2.0, 0.0, 0.0]), jac=True, method="L-BFGS-B",
                 options={"maxiter": 3 if short else 20, "ftol": 1e-6})
ends = np.array([x[-1] for _, x in trials])
print(f"{len(trials)} runs: the box stops {1e3 * abs(ends[0] - mark):.1f} mm, then {1e3 * np.abs(ends - mark).min():.2f} mm "
      f"beside the mark, with a, b, c = {np.round(found.x, 3)}")

for k, (times, x) in enumerate(trials):
    best = k == np.abs(ends - mark).argmin()
    plt.plot(times, 1e3 * x, color="tab:red" if best else "0.7", zorder=3 if best else 2,
             label="best trial" if best else "other trials" if k == 0 else None)
plt.axhline(1e3 * mark, linestyle="--", color="k", label="mark")
plt.xlabel("time [s]")
plt.ylabel("centre of the box [mm]")
plt.legend()
plt.savefig("push.png", dpi=120)
