"""A result folder into arrays, its energies printed, and a Matplotlib film of it."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter

import clearance as cl

duration = 0.1 if "--short" in sys.argv else 1.0
scene = cl.Scene(dimension=2, time={"step": 0.01, "duration": duration})
scene.add_body("disk", generator={"kind": "disk", "size": [0.1], "resolution": [5]}, material={"youngs_modulus": 1e4},
               transform={"translation": [0, 0.25]})
scene.add_half_space(point=[0, 0], normal=[0.2, 1])
with cl.Simulation(scene, "film", overwrite=True) as sim:
    sim.run()

run = cl.Results("film")
cl.verify("film").raise_if_broken()
positions = np.array([frame.positions for frame in run])  # (frames, vertices, 3)
kinetic = run.stats["energy.kinetic"]
print(f"{len(run)} frames until {run.times[-1]:g} s; most kinetic energy {kinetic.max():.3f} J at {run.stats['time'][kinetic.argmax()]:g} s")

figure, axes = plt.subplots()
axes.set_aspect("equal")
axes.set_xlim(positions[..., 0].min() - 0.02, positions[..., 0].max() + 0.02)
axes.set_ylim(positions[..., 1].min() - 0.05, positions[..., 1].max() + 0.02)
triangles = run[0].mesh.triangles
drawn = [axes.triplot(*positions[0, :, :2].T, triangles, lw=0.6, color="C0")[0]]


def draw(frame):
    drawn[0].remove()
    drawn[0] = axes.triplot(*positions[frame, :, :2].T, triangles, lw=0.6, color="C0")[0]
    return drawn


FuncAnimation(figure, draw, frames=len(run)).save("film.gif", writer=PillowWriter(fps=25))
print("film: film.gif")
