"""A policy of four numbers learns to push a cube to a goal, by the cross-entropy method. Takes a few minutes."""

import sys
import warnings

import numpy as np

import clearance as cl
from clearance import gym

warnings.simplefilter("ignore", cl.ClearanceWarning)
is_short = "--short" in sys.argv
generations, population, starts, max_steps = (1, 3, 2, 12) if is_short else (6, 12, 8, 120)

# A poor start: the pusher goes round far away, and pushes wherever it meets the cube.
start, spread = np.array([0.08, 0.2, 0.02, 40.0]), np.array([0.02, 0.5, 0.006, 40.0])

with gym.VectorEnv(gym.Push, 4, max_steps=max_steps) as envs:

    def score(parameters, generation):
        """Returns the mean return over some starts, the same for all policies of a generation."""
        seeds = range(1000 * generation, 1000 * generation + starts)
        return np.mean([one.total for one in gym.evaluate(envs, lambda: gym.push_from_behind(parameters), seeds)])

    trained = gym.cross_entropy(score, start, spread, generations=generations, population=population, elite=3)
    for generation, (mean, elite, best) in enumerate(trained.history):
        print(f"generation {generation}: mean return {mean:.2f}, of the elite {elite:.2f}, best {best:.2f}")

    unseen = range(100_000, 100_000 + (2 if is_short else 40))
    for name, parameters in (("start", start), ("trained", trained.parameters)):
        episodes = gym.evaluate(envs, lambda: gym.push_from_behind(parameters), unseen)
        print(f"{name} {np.round(parameters, 4)}: {gym.success_rate(episodes):.0%} of {len(unseen)} unseen starts, "
              f"mean return {np.mean([one.total for one in episodes]):.2f}")
