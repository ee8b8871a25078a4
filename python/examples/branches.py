"""A saved state that branches: the same moment with two floors, and a twin that shows that nothing is lost."""

import pickle
import sys

import clearance as cl

steps = 20 if "--short" in sys.argv else 100


def simulation(mu):
    scene = cl.Scene(time={"step": 0.01, "duration": steps * 0.01}, friction={"coefficient": mu})
    scene.add_body("box", kind="affine", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
                   transform={"translation": [0, 0.06, 0]}, linear_velocity=[2, 0, 0])
    scene.add_half_space()
    return cl.Simulation(scene)


first = simulation(mu=0.3)
for _ in range(steps // 10):
    first.step()
stored = pickle.dumps(first.save_state())
first.run()

for mu in (0.3, 0.6):
    branch = simulation(mu)
    branch.restore(pickle.loads(stored))
    branch.run()
    same = "the same bits" if branch.state_hash == first.state_hash else "another end"
    print(f"mu = {mu}: x = {branch.positions[:, 0].mean():.4f} m, {same}")
