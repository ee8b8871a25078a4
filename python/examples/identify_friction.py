"""How rough is the floor? The coefficient of friction that explains how far a box has slid, found with SciPy."""

import sys

from scipy.optimize import brentq

import clearance as cl

step = 0.02 if "--short" in sys.argv else 0.005
speed, measured = 1.0, 0.17  # [m/s], [m]


def slid(mu):
    """Returns the distance from the speed to rest [m]."""
    scene = cl.Scene(time={"step": step, "duration": 1.0}, friction={"coefficient": mu})
    scene.add_body("box", kind="rigid", generator={"kind": "box", "size": [0.1, 0.05, 0.1], "resolution": [1, 1, 1]},
                   transform={"translation": [0, 0.0251, 0]}, linear_velocity=[speed, 0, 0])
    scene.add_half_space()
    sim = cl.Simulation(scene)
    x = sim.positions
    start = x[:, 0].mean()
    while not sim.done:
        sim.step()
        if abs(sim.velocities[:, 0]).max() < 1e-3:
            break
    return x[:, 0].mean() - start


mu = brentq(lambda mu: slid(mu) - measured, 0.2, 0.6, xtol=1e-3)
print(f"mu = {mu:.3f}; Coulomb's v^2 / (2 g s) = {speed**2 / (2 * 9.80665 * measured):.3f}")
