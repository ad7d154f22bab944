"""Hooks that a program has registered to be called before the steps of all optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch.optim.optimizer as module

if TYPE_CHECKING:
    from collections.abc import Sized

_found: Any = getattr(module, "_global_optimizer_pre_hooks", ())

before_steps: Sized = _found
"""All of them. One is ours, as long as an engine lives."""
