"""Two fingers close on a ball until they feel it, then lift it: a control loop between steps."""

import sys

import clearance as cl

scene = cl.Scene(time={"step": 0.01, "duration": 0.5 if "--short" in sys.argv else 1.0}, friction={"coefficient": 0.8})
scene.add_control("closing")  # distance that each finger has come in [m]
scene.add_control("lift")  # [m]
scene.add_body("ball", generator={"kind": "sphere", "size": [0.03], "resolution": [3]},
               material={"youngs_modulus": 1e5, "density": 500}, transform={"translation": [0, 0.031, 0]})
for side, x, inwards in (("left", -0.05, "closing"), ("right", 0.05, "-closing")):
    scene.add_body(side, kind="rigid", generator={"kind": "box", "size": [0.02, 0.04, 0.04], "resolution": [1, 1, 1]},
                   transform={"translation": [x, 0.035, 0]}, motions=[{"displacement": [inwards, "lift", "0"]}])
scene.add_half_space()
weight = 500 * 4 / 3 * 3.14159 * 0.03**3 * 9.80665

with cl.Simulation(scene, "gripper", overwrite=True) as sim:
    fingers = sim.body("left").vertices
    ball = sim.positions[sim.body("ball").vertices]
    while not sim.done:
        grip = -sim.contact_forces[fingers, 0].sum()  # contact force on the left finger [N]
        if grip < 3 * weight:
            sim.controls["closing"] += 0.1 * 0.01  # 0.1 m/s
        else:
            sim.controls["lift"] += 0.1 * 0.01
        sim.step()
    print(f"gripped with {grip:.2f} N (weight {weight:.2f} N), lifted by {sim.controls['lift']:.3f} m, "
          f"ball at {ball[:, 1].mean():.3f} m")

# The folder has recorded the controls: the run gives the same bits again, without the loop.
again = cl.Simulation(scene, controls="gripper").run()
print("again from the folder:", "the same bits" if again.state_hash == cl.Results("gripper").steps[-1]["state_hash"] else "ANOTHER END")
