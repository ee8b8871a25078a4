"""Success rates of scripted policies over random starts, and one episode of each judged by exact arithmetic.

success_rates.py [NUMBER OF STARTS]; by default 100.
"""

import sys
import warnings

import numpy as np

import clearance as cl
from clearance import gym

warnings.simplefilter("ignore", cl.ClearanceWarning)
is_short = "--short" in sys.argv
numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
starts = numbers[0] if numbers else 2 if is_short else 100

for task, policy in ((gym.PegInHole, gym.search_for_hole), (gym.Push, gym.push_from_behind)):
    keys = {"max_steps": 30} if is_short else {}
    with gym.VectorEnv(task, min(starts, 8), **keys) as envs:
        episodes = gym.evaluate(envs, policy, range(starts))
    print(f"{task.__name__}: {gym.success_rate(episodes):.1%} of {starts} starts, mean of "
          f"{np.mean([one.steps for one in episodes]):.0f} actions, mean return {np.mean([one.total for one in episodes]):.2f}")
    failed = [one for one in episodes if not one.info["is_success"]]
    print("".join(f"  seed {one.seed} failed: {one.info}\n" for one in failed[:5]), end="")
    # The same episode, stored: nothing passes through anything in any frame.
    folder = f"out_{task.__name__}"
    with task(output=folder, seed=0, **keys) as env:
        gym.evaluate(env, policy, [0])
    verdict = cl.verify(folder)
    verdict.raise_if_broken()
    print(f"  seed 0 in {folder}: {verdict.frames} frames, {verdict.intersections} intersections, smallest distance "
          f"{1e6 * verdict.min_distance:.1f} um")
