"""Evaluation of policies over random starts, and a small method that trains them: no more than NumPy."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .vector import VectorEnv

#: Returns an action for an observation; a policy with a memory is made anew for each episode.
Policy = Callable[[NDArray[np.float64]], ArrayLike]


class Episode(NamedTuple):
    """What an episode came to."""

    seed: int
    total: float  #: sum of the rewards
    steps: int
    info: Dict[str, Any]  #: of the last step


def evaluate(env: Any, make_policy: Callable[[], Policy], seeds: Sequence[int]) -> List[Episode]:
    """Runs one episode per seed and returns them. `env`: an environment, or a VectorEnv, whose worlds take the seeds in
    turn. `make_policy` returns a policy for an episode."""
    if isinstance(env, VectorEnv):
        return _evaluate_many(env, make_policy, list(seeds))
    episodes = []
    for seed in seeds:
        observed, info = env.reset(seed=int(seed))
        policy, total, steps, over = make_policy(), 0.0, 0, False
        while not over:
            observed, reward, terminated, truncated, info = env.step(policy(observed))
            total, steps, over = total + reward, steps + 1, terminated or truncated
        episodes.append(Episode(int(seed), total, steps, info))
    return episodes


def _evaluate_many(envs: VectorEnv, make_policy: Callable[[], Policy], seeds: List[int]) -> List[Episode]:
    """Gives each world the next seed when its episode has ended."""
    waiting = list(enumerate(seeds))
    found: Dict[int, Episode] = {}
    idle = np.zeros(envs.single_action_space.shape)
    at: List[Optional[Tuple[int, int]]] = [None] * len(envs)
    policies: List[Policy] = [lambda _: idle] * len(envs)
    totals, counts = np.zeros(len(envs)), np.zeros(len(envs), dtype=int)
    observed, _ = envs.reset()

    def begin(k: int) -> None:
        at[k] = waiting.pop(0) if waiting else None
        totals[k], counts[k] = 0.0, 0
        policies[k] = make_policy() if at[k] is not None else (lambda _: idle)
        if at[k] is not None:
            observed[k], _ = envs._begin(k, at[k][1])  # type: ignore[index]

    for k in range(len(envs)):
        begin(k)
    while len(found) < len(seeds):
        actions = np.stack([np.asarray(policy(row), dtype=float) for policy, row in zip(policies, observed)])
        observed, rewards, terminated, truncated, info = envs.step(actions)
        totals += rewards
        counts += 1
        for k in np.flatnonzero(terminated | truncated):
            one = at[k]
            if one is not None:
                found[one[0]] = Episode(one[1], float(totals[k]), int(counts[k]), info["final_info"][k])
            begin(int(k))
    return [found[number] for number in range(len(seeds))]


def success_rate(episodes: Sequence[Episode]) -> float:
    """Returns the share of the episodes whose `info["is_success"]` is true."""
    return float(np.mean([bool(episode.info.get("is_success", False)) for episode in episodes]))


class Trained(NamedTuple):
    """The result of `cross_entropy`."""

    parameters: NDArray[np.float64]  #: mean of the last elite
    history: NDArray[np.float64]  #: (generations, 3): mean of all, mean of the elite, best return


def cross_entropy(score: Callable[[NDArray[np.float64], int], float], start: ArrayLike, spread: ArrayLike, *,
                  generations: int = 10, population: int = 16, elite: int = 4, seed: int = 0) -> Trained:
    """Maximises a score by the cross-entropy method (Rubinstein 1999): draws parameters from a normal distribution, and moves its
    mean and spread to those of the best ones.

    score(parameters, generation) returns a number, such as the mean return of some episodes. start, spread: mean and
    standard deviations of the first generation. The same seed gives the same result.
    """
    random = np.random.default_rng(seed)
    mean, deviation = np.array(start, dtype=float), np.broadcast_to(np.asarray(spread, dtype=float), np.shape(start)).copy()
    least = 0.05 * deviation
    history = []
    for generation in range(generations):
        drawn = mean + deviation * random.normal(size=(population, len(mean)))
        drawn[0] = mean
        scores = np.array([score(one, generation) for one in drawn])
        best = np.argsort(-scores, kind="stable")[:elite]
        mean, deviation = drawn[best].mean(axis=0), np.maximum(drawn[best].std(axis=0), least)
        history.append([scores.mean(), scores[best].mean(), scores.max()])
    return Trained(mean, np.array(history))
