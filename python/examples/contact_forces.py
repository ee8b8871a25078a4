"""Contact forces over time beside the weight: a block lands and comes to rest."""

import sys

import numpy as np

import clearance as cl

duration = 0.2 if "--short" in sys.argv else 2.0
scene = cl.Scene(time={"step": 0.01, "duration": duration})
scene.add_body("block", generator={"kind": "box", "size": [0.2, 0.1, 0.2], "resolution": [4, 2, 4]},
               material={"youngs_modulus": 2e5, "density": 1000}, transform={"translation": [0, 0.06, 0]})
scene.add_half_space()
weight = 1000 * 0.2 * 0.1 * 0.2 * 9.80665

forces = []
with cl.Simulation(scene) as sim:
    while not sim.done:
        sim.step()
        forces.append(sim.contact_forces[:, 1].sum())
    contacts = sim.contacts
print(f"weight {weight:.3f} N; on the floor at the end {forces[-1]:.3f} N, most {max(forces):.1f} N")
print(f"mean of all steps {np.mean(forces):.3f} N; {len(contacts.gap)} contacts at the end, smallest gap "
      f"{contacts.gap.min(initial=np.inf):.2e} m")
