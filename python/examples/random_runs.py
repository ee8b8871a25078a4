"""200 runs with random scenes in parallel processes, for training: where does a thrown box come to rest?"""

import multiprocessing
import sys

import numpy as np

import clearance as cl

count, duration = (4, 0.1) if "--short" in sys.argv else (200, 1.5)


def run(seed):
    """Simulates a random throw; returns [seed, speed, mu, final x and z, did all steps converge]."""
    rng = np.random.default_rng(seed)
    speed, mu = rng.uniform(0.5, 2.0), rng.uniform(0.1, 0.9)
    scene = cl.Scene(time={"step": 0.01, "duration": duration}, friction={"coefficient": mu})
    scene.add_body("box", kind="rigid", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
                   transform={"translation": [0, 0.2, 0], "rotation": rng.uniform(0, 360, 3)},
                   linear_velocity=[speed, 0, 0], angular_velocity=rng.uniform(-200, 200, 3))
    scene.add_half_space()
    with cl.Simulation(scene, threads=1) as sim:  # a thread for every process
        good = all([sim.step().converged for _ in range(sim.num_steps)])
        x, _, z = sim.positions.mean(axis=0)
    return seed, speed, mu, x, z, good


if __name__ == "__main__":
    # Start processes by `spawn`: threads of the library do not survive a fork.
    with multiprocessing.get_context("spawn").Pool() as pool:
        rows = np.array(pool.map(run, range(count)))
    np.save("runs.npy", rows)
    print(f"{count} runs, {rows[:, 5].mean():.0%} with all steps converged; x between {rows[:, 3].min():.2f} and "
          f"{rows[:, 3].max():.2f} m; table: runs.npy")
