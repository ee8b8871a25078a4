"""Two fingers close on a ball until they feel it, then lift it: a control loop between steps."""

import sys

import clearance as cl

steps = 12 if "--short" in sys.argv else 80
scene = cl.Scene(time={"step": 0.01, "duration": 1.0}, friction={"coefficient": 0.8})
scene.add_body("ball", generator={"kind": "sphere", "size": [0.03], "resolution": [3]},
               material={"youngs_modulus": 1e5, "density": 500}, transform={"translation": [0, 0.031, 0]})
for side, x in (("left", -0.05), ("right", 0.05)):
    scene.add_body(side, kind="rigid", generator={"kind": "box", "size": [0.02, 0.04, 0.04], "resolution": [1, 1, 1]},
                   material={"density": 1000}, transform={"translation": [x, 0.035, 0]})
scene.add_half_space()


def force_on(sim, name):
    """[N] of the contacts on a body along x."""
    return sim.contact_forces[sim.body(name).vertices, 0].sum()


def finger_motion(close_until, lift_from):
    """Formulas of t [s]: the fingers close at 0.1 m/s until `close_until`, and rise at 0.1 m/s from `lift_from` on."""
    closed = f"0.1 * min(t, {close_until})"
    risen = f"0.1 * max(t - {lift_from}, 0)"
    return {"left": [closed, risen, "0"], "right": [f"-{closed}", risen, "0"]}


def simulation(close_until, lift_from, state=None):
    """The same bodies with other motions; goes on from a state."""
    controlled = scene.copy()
    for body in controlled.data["bodies"]:
        if body["name"] in ("left", "right"):
            body["motions"] = [{"displacement": finger_motion(close_until, lift_from)[body["name"]]}]
    sim = cl.Simulation(controlled, steps=steps)
    if state is not None:
        sim.restore(state)
    return sim


sim = simulation(close_until=10, lift_from=10)
weight = 500 * 4 / 3 * 3.14159 * 0.03**3 * 9.81
grip = 0.0
while not sim.done and grip < 3 * weight:
    sim.step()
    grip = abs(force_on(sim, "left"))
print(f"gripped with {grip:.2f} N after {sim.time:.2f} s")
sim = simulation(close_until=sim.time, lift_from=sim.time, state=sim.save_state())
sim.run()
print(f"height of the ball: {sim.positions[sim.body('ball').vertices, 1].mean():.3f} m")
