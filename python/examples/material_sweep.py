"""How far does a beam sag? Young's moduli from soft to stiff beside beam theory."""

import sys

import clearance as cl

moduli = [1e7] if "--short" in sys.argv else [1e6, 3e6, 1e7, 3e7, 1e8]
cells = [40, 4, 4] if "--short" in sys.argv else [100, 10, 10]
length, height, width, density = 0.5, 0.05, 0.05, 1000.0

for youngs_modulus in moduli:
    scene = cl.Scene(time={"step": 0.1, "duration": 0.1, "integrator": "quasi_static"})
    scene.add_body("beam", generator={"kind": "box", "size": [length, height, width], "resolution": cells},
                   material={"youngs_modulus": youngs_modulus, "poisson_ratio": 0.3, "density": density},
                   motions=[{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}])  # held at one end
    sim = cl.Simulation(scene)
    y = sim.positions[:, 1]
    end = sim.positions[:, 0] > 0.499 * length
    start = y[end].mean()
    sim.run()
    load, inertia = density * height * width * 9.80665, width * height**3 / 12
    theory = load * length**4 / (8 * youngs_modulus * inertia)
    print(f"E = {youngs_modulus:9.0f} Pa: sags {1e3 * (start - y[end].mean()):6.2f} mm, small-deflection theory "
          f"{1e3 * theory:6.2f} mm")
