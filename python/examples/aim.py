"""Plays a soft ball over a wall into a pocket: one backward pass a throw says how its velocity should change.

The ball hits the wall and the floor on its way. Both impacts take many steps, so that derivatives see through them."""

import sys

import numpy as np
from scipy.optimize import minimize

import clearance as cl

short = "--short" in sys.argv
pocket = np.array([0.13, 0.044, 0.17])  # [m] where the centre of the ball should be at the end


def throw(velocity):
    """Returns the squared distance from the pocket at the end [m^2], and its derivatives by the velocity."""
    scene = cl.Scene(time={"step": 0.01 if short else 0.005, "duration": 0.5}, friction={"coefficient": 0.2})
    scene.add_body("ball", generator={"kind": "sphere", "size": [0.05], "resolution": [1]},
                   material={"youngs_modulus": 3e4}, transform={"translation": [0, 0.2, 0]},
                   linear_velocity=velocity.tolist())
    scene.add_half_space(point=[0, 0, 0], normal=[0, 1, 0])
    scene.add_half_space(point=[0.4, 0, 0], normal=[-1, 0, 0])
    run = cl.record(scene)
    miss = run.positions().mean(axis=0) - pocket
    seed = np.tile(2.0 * miss / len(run.positions()), (len(run.positions()), 1))
    return miss @ miss, run.backward(seed).start_velocities.sum(axis=0)


found = minimize(throw, np.array([2.2, 0.2, 0.3]), jac=True, method="L-BFGS-B", bounds=[(-5, 5)] * 3,
                 options={"maxiter": 10 if short else 40, "ftol": 1e-10})
print(f"velocity {np.round(found.x, 3)} m/s misses by {1e3 * np.sqrt(found.fun):.2f} mm after {found.nfev} throws")
