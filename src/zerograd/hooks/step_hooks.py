"""Hooks that a program has registered to be called before optimizers' steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch.optim.optimizer as module

if TYPE_CHECKING:
    from torch.optim import Optimizer

_of_all: Any = getattr(module, "_global_optimizer_pre_hooks", {})


def has_step_hooks(optimizer: Optimizer) -> bool:
    """Whether anybody but us is called before this optimizer's steps.

    One of those that are called before all steps is ours, as long as an engine lives.
    """
    return len(_of_all) > 1 or bool(optimizer._optimizer_step_pre_hooks)  # noqa: SLF001
