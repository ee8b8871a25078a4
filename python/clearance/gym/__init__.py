"""Environments for learning with Gymnasium's interface; the package `gymnasium` is used where it is installed.

    from clearance import gym
    env = gym.Push()
    observation, info = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

`Env` is the base of tasks, `SceneEnv` makes one of any scene with controls, `VectorEnv` steps many worlds of one task
together (clearance.Batch), and `cross_entropy` trains small policies. docs/learning.md explains them.
"""

from .env import Env, SceneEnv
from .peg_in_hole import PegInHole, search_for_hole
from .push import Push, push_from_behind
from .sensing import body_numbers, contact_numbers, joint_numbers
from .spaces import Box
from .training import Trained, cross_entropy, evaluate, success_rate
from .vector import VectorEnv

__all__ = [
    "Box", "Env", "PegInHole", "Push", "SceneEnv", "Trained", "VectorEnv", "body_numbers", "contact_numbers", "cross_entropy",
    "evaluate", "joint_numbers", "push_from_behind", "search_for_hole", "success_rate",
]
