"""A soft torus falls on the floor: its height over time, as a picture."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import clearance as cl

duration = 0.1 if "--short" in sys.argv else 1.0
scene = cl.Scene(time={"step": 0.01, "duration": duration}, friction={"coefficient": 0.3})
scene.add_body("torus", generator={"kind": "torus", "size": [0.2, 0.08], "resolution": [24, 2]},
               material={"youngs_modulus": 5e4}, transform={"translation": [0, 0.4, 0], "rotation": [60, 0, 0]})
scene.add_half_space()

times, heights = [], []
with cl.Simulation(scene) as sim:
    y = sim.positions[sim.body("torus").vertices, 1]  # a view: every step refreshes it
    while not sim.done:
        sim.step()
        times.append(sim.time)
        heights.append((y.min(), y.mean(), y.max()))

plt.plot(times, heights, label=["lowest vertex", "mean", "highest vertex"])
plt.xlabel("time [s]")
plt.ylabel("height [m]")
plt.legend()
plt.savefig("drop.png", dpi=120)
print(f"lowest vertex at the end: {heights[-1][0]:.3g} m; picture: drop.png")
