"""Many worlds of one task, stepped together."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check
from ..batch import Batch
from .env import Env
from .spaces import Box


class VectorEnv:
    """Environments of one task whose worlds are a Batch: threads step whole worlds.

    make: a class of environments or a function; `make(sim=None)` returns one, and it must give each the same scene.
    count: the number of worlds. threads: 0 for all processors. kwargs: passed to `make`.

    Every world has the bits of an environment of its own with the same seed and actions. An episode that ends begins anew
    within the same step (Gymnasium's autoreset mode `SAME_STEP`): `info["final_obs"]` and `info["final_info"]` have what
    it ended with.
    """

    metadata: Dict[str, Any] = {"render_modes": [], "autoreset_mode": "SameStep"}

    def __init__(self, make: Callable[..., Env], count: int, *, threads: int = 0, **kwargs: Any):
        self.num_envs = _check.whole_number(count, "count", 1)
        first = make(**kwargs)
        self._batch = Batch(first.scene, self.num_envs, threads=threads, steps=first.num_sim_steps)
        self.substeps = first.substeps
        first.close()
        self.envs: List[Env] = [make(sim=self._batch.world(k), **kwargs) for k in range(self.num_envs)]
        self.single_action_space, self.single_observation_space = self.envs[0].action_space, self.envs[0].observation_space
        space = self.single_action_space
        self.action_space = Box(space.low, space.high, (self.num_envs, *space.shape))
        self.observation_space = Box(-np.inf, np.inf, (self.num_envs, *self.single_observation_space.shape))

    def __len__(self) -> int:
        return self.num_envs

    def reset(self, *, seed: Union[None, int, Sequence[int]] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[NDArray[np.float64], Dict[str, Any]]:
        """Begins an episode in every world. A seed gives world k the seed `seed + k`."""
        seeds: List[Optional[int]] = [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            seeds = [int(seed) + k for k in range(self.num_envs)]
        elif seed is not None:
            seeds = [int(one) for one in seed]
            if len(seeds) != self.num_envs:
                raise ValueError(f"seed: expected {self.num_envs} seeds, one for each world, not {len(seeds)}")
        begun = [self._begin(k, seeds[k]) for k in range(self.num_envs)]
        return np.stack([observed for observed, _ in begun]), self._gathered([facts for _, facts in begun])

    def _begin(self, k: int, seed: Optional[int] = None) -> Tuple[NDArray[np.float64], Dict[str, Any]]:
        self._batch._failures.pop(k, None)
        return self.envs[k].reset(seed=seed)

    def step(self, actions: ArrayLike) -> Tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_],
                                                NDArray[np.bool_], Dict[str, Any]]:
        """Takes an action in every world: `actions` has a row for each. Returns arrays with a row per world."""
        rows = np.asarray(actions, dtype=np.float64)
        if rows.shape != self.action_space.shape:
            raise ValueError(f"actions: expected the shape {self.action_space.shape}, not {rows.shape}")
        bounded = [env.bounded(row) for env, row in zip(self.envs, rows)]
        for env, action in zip(self.envs, bounded):
            env.take(action)
        for _ in range(self.substeps):
            for k, env in enumerate(self.envs):
                if k not in self._batch._failures:
                    env.act(bounded[k])
            self._batch.step()
        observed, rewards, terminated, truncated, infos = [], [], [], [], []
        finals: List[Any] = [None] * self.num_envs
        for k, env in enumerate(self.envs):
            if k in self._batch._failures:
                env._failure = str(self._batch._failures[k])
            result = env.result()
            info = result[4]
            now = result[0]
            if result[2] or result[3]:
                finals[k] = now, info
                now, info = self._begin(k)
            observed.append(now)
            rewards.append(result[1])
            terminated.append(result[2])
            truncated.append(result[3])
            infos.append(info)
        gathered = self._gathered(infos)
        if any(final is not None for final in finals):
            gathered["final_obs"] = np.array([None if final is None else final[0] for final in finals], dtype=object)
            gathered["final_info"] = np.array([None if final is None else final[1] for final in finals], dtype=object)
        return np.stack(observed), np.array(rewards), np.array(terminated), np.array(truncated), gathered

    @staticmethod
    def _gathered(infos: List[Dict[str, Any]]) -> Dict[str, Any]:
        """Returns arrays of what each world tells; None where it says nothing."""
        names = dict.fromkeys(name for info in infos for name in info)
        return {name: np.array([info.get(name) for info in infos]) for name in names}

    def close(self) -> None:
        self._batch.close()

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
