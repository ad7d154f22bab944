"""A clip that plain loops and the engine share bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

if TYPE_CHECKING:
    from collections.abc import Iterable


@pytest.fixture
def exact_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let plain loops clip as the engine does, so that both can be compared bit for bit.

    torch's `clip_grad_norm_` divides by norm + 1e-6 and rounds twice, the engine divides by the
    norm, once. Where a clip bites the bits differ, and how far they then drift apart depends on
    the CPU: 16-bit activations and Adam turn one bit into anything between 1e-9 and 1e-3.
    """
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", clip_without_epsilon)


def clip_without_epsilon(parameters: Iterable[torch.Tensor], max_norm: float) -> torch.Tensor:
    # Matrices first, as the examples' optimizers list them: the sum of squares has an order.
    ordered = sorted(parameters, key=lambda parameter: parameter.dim() < 2)
    grads = [parameter.grad for parameter in ordered if parameter.grad is not None]
    norm = torch.nn.utils.get_total_norm(grads, foreach=True)
    torch._foreach_div_(grads, (norm / max_norm).clamp(min=1.0))
    return norm
