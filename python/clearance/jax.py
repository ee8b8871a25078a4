"""Runs within JAX programs: `rollout` is a differentiable function of numbers of the scene (docs/derivatives.md).

    import clearance.jax
    jax.config.update("jax_enable_x64", True)
    def height(stiffness):
        return clearance.jax.rollout(scene, {"bodies[0].material.youngs_modulus": stiffness}, of=["tip.y"])[-1, 0]
    jax.grad(height)(1e5)
"""

import importlib
from typing import Any, Mapping, Optional, Sequence

import numpy as np

from ._rollout import Rollout

_jax: Any = importlib.import_module("jax")


def rollout(scene: Any, inputs: Mapping[str, Any], of: Optional[Sequence[str]] = None, *, steps: Optional[int] = None,
            budget_mb: float = 4096.0) -> Any:
    """Runs the scene with `inputs` in the place of its numbers, and returns an array that JAX differentiates in reverse
    mode. Within `jax.jit` the run is a callback.

    `inputs` maps paths of numbers or of lists of numbers (`"gravity"`) to arrays. `of` are columns of the scene's
    probes; the result is then of shape (steps + 1, columns), else the vertices at the end, (n, 3). `steps` and
    `budget_mb` are as in cl.record, and so are the errors.
    """
    run = Rollout(scene, list(inputs), of, steps, budget_mb)
    numbers = scene.check().numbers
    shape = run.shape(steps or numbers["steps"], numbers["vertices"])
    result = _jax.ShapeDtypeStruct(shape, _jax.dtypes.canonicalize_dtype(np.float64))

    @_jax.custom_vjp
    def values(*arrays: Any) -> Any:
        return _jax.pure_callback(lambda *given: np.asarray(run.values(given), dtype=result.dtype), result, *arrays)

    def forward(*arrays: Any) -> Any:
        return values(*arrays), arrays

    def backward(arrays: Any, by_values: Any) -> Any:
        like = tuple(_jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays)

        def slopes(by_values: Any, *given: Any) -> Any:
            found = run.slopes(given, by_values)
            return tuple(np.asarray(slope, dtype=array.dtype) for slope, array in zip(found, like))

        return _jax.pure_callback(slopes, like, by_values, *arrays)

    values.defvjp(forward, backward)
    return values(*(_jax.numpy.asarray(value, dtype=result.dtype) for value in inputs.values()))
