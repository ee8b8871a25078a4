"""The trajectory of a gripper that puts a soft ball where it should be, found by the derivatives of one run at a time.

Two fingers close on the ball, lift it and carry it. The unknowns are where the fingers are at a few times; the pass
backwards has the derivatives by their places in every step, through friction. A picture shows paths and places."""

import sys
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import clearance as cl

short = "--short" in sys.argv
warnings.simplefilter("ignore", cl.ClearanceWarning)
step, steps = (0.02, 20) if short else (0.01, 40)
knots = 4 if short else 5
aim = np.array([0.02, 0.06, 0.0])  # [m] place of the ball at the end
radius, gap = 0.03, 0.002

names = ("closing", "along", "lift")  # distances that the fingers have come [m]
spans = step * steps / knots


def path(name):
    """Returns the formula of a path that is straight between its knots, whose places are controls."""
    return " + ".join(f"{name}{k} * max(0, 1 - abs(t / {spans} - {k}))" for k in range(1, knots + 1))


def scene_of(places):
    """Returns the scene with the places of the fingers at the knots (knots, 3)."""
    scene = cl.Scene(time={"step": step, "duration": step * steps, "integrator": "implicit_euler"},
                     friction={"coefficient": 0.8})
    for k in range(knots):
        for name, place in zip(names, places[k]):
            scene.add_control(f"{name}{k + 1}", value=float(place))
    scene.add_body("ball", generator={"kind": "sphere", "size": [radius], "resolution": [2]},
                   material={"youngs_modulus": 5e4, "density": 500}, transform={"translation": [0, radius + 0.0005, 0]})
    for side, sign in (("left", -1), ("right", 1)):
        across = f"{path('along')} {'+-'[sign > 0]} ({path('closing')})"
        scene.add_body(side, kind="obstacle",
                       generator={"kind": "box", "size": [0.01, 0.04, 0.04], "resolution": [1, 1, 1]},
                       transform={"translation": [sign * (radius + 0.005 + gap), 0.035, 0]},
                       motions=[{"displacement": [across, path("lift"), "0"]}])
    scene.add_half_space()
    return scene


def cost(x):
    """Returns the squared distance of the ball from its aim, in cm^2, with a little for jerky paths and for squeezing;
    and its derivatives."""
    places = x.reshape(knots, 3) / 100  # the unknowns are in cm
    run = cl.record(scene_of(places))
    ball = run.bodies["ball"]
    miss = 100 * (run.positions()[ball].mean(axis=0) - aim)
    seed = np.zeros_like(run.positions())
    seed[ball] = 2 * 100 * miss / (ball.stop - ball.start)
    slope = run.backward(seed).controls.sum(axis=0) / 100
    whole = np.vstack([np.zeros(3), x.reshape(knots, 3)])
    bend = whole[2:] - 2 * whole[1:-1] + whole[:-2]
    by_whole = np.zeros_like(whole)
    for shift, factor in ((2, 1), (1, -2), (0, 1)):
        by_whole[shift:shift + len(bend)] += 2e-3 * factor * bend
    tracks.append(run)
    return (miss**2).sum() + 1e-3 * (bend**2).sum(), slope + by_whole[1:].ravel()


tracks = []
start = np.array([[0.5, 0.0, 0.0]] + [[0.6, 0.3 * k, 0.5 * k] for k in range(1, knots)])
bounds = [(0.3, 0.8), (-5, 5), (0, 9)] * knots  # [cm]; the closed fingers squeeze the ball by 1 to 6 mm
found = minimize(cost, start.ravel(), jac=True, method="L-BFGS-B", bounds=bounds,
                 options={"maxiter": 3 if short else 15, "ftol": 1e-9})
places = found.x.reshape(knots, 3)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for column, name in enumerate(names):
    left.plot(spans * np.arange(knots + 1), np.r_[0, 10 * places[:, column]], "o-", label=name)
left.set(xlabel="time [s]", ylabel="way of the fingers [mm]")
left.legend()
for run, style, label in ((tracks[0], ":", "first"), (tracks[-1], "-", "last")):
    centre = np.array([run.positions(k)[run.bodies["ball"]].mean(axis=0) for k in range(run.steps + 1)])
    right.plot(1e3 * centre[:, 0], 1e3 * centre[:, 1], style, label=f"ball, {label} run")
right.plot(*(1e3 * aim[:2]), "kx", label="aim")
right.set(aspect="equal", xlabel="x [mm]", ylabel="y [mm]")
right.legend()
figure.savefig("gripper_trajectory.png", dpi=120)
first = np.linalg.norm(tracks[0].positions()[tracks[0].bodies["ball"]].mean(axis=0) - aim)
print(f"the ball misses its aim by {1e3 * first:.1f} mm at first and by {10 * np.sqrt(found.fun):.2f} mm or less after "
      f"{len(tracks)} runs; picture: gripper_trajectory.png")
