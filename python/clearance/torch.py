"""Runs within PyTorch programs: `rollout` is a differentiable function of numbers of the scene (docs/derivatives.md).

    import clearance.torch
    stiffness = torch.tensor(1e5, dtype=torch.float64, requires_grad=True)
    tip = clearance.torch.rollout(scene, {"bodies[0].material.youngs_modulus": stiffness}, of=["tip.y"])
    tip[-1, 0].backward()
"""

import importlib
from typing import Any, Mapping, Optional, Sequence

from ._rollout import Rollout

_torch: Any = importlib.import_module("torch")


class _Run(_torch.autograd.Function):  # type: ignore[misc]
    """Records in the forward pass, and differentiates the recording once."""

    @staticmethod
    def forward(context: Any, run: Rollout, *inputs: Any) -> Any:
        context.run, context.like = run, inputs
        context.values = [value.detach().cpu().double().numpy().copy() for value in inputs]
        return _torch.as_tensor(run.values(context.values), dtype=inputs[0].dtype, device=inputs[0].device)

    @staticmethod
    def backward(context: Any, by_values: Any) -> Any:
        slopes = context.run.slopes(context.values, by_values.detach().cpu().double().numpy())
        return (None, *(_torch.as_tensor(slope, dtype=like.dtype, device=like.device)
                        for slope, like in zip(slopes, context.like)))


def rollout(scene: Any, inputs: Mapping[str, Any], of: Optional[Sequence[str]] = None, *, steps: Optional[int] = None,
            budget_mb: float = 4096.0) -> Any:
    """Runs the scene with `inputs` in the place of its numbers, and returns a tensor through which gradients flow back.

    `inputs` maps paths of numbers or of lists of numbers (`"gravity"`) to tensors. `of` are columns of the scene's
    probes; the result is then of shape (steps + 1, columns), else the vertices at the end, (n, 3). `steps` and
    `budget_mb` are as in cl.record, and so are the errors.
    """
    return _Run.apply(Rollout(scene, list(inputs), of, steps, budget_mb),
                      *(_torch.as_tensor(value) for value in inputs.values()))
