"""After every test of the engine torch is as it was found."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
import torch
from torch.nn.utils import clip_grad
from torch.optim.optimizer import _global_optimizer_pre_hooks

from zerograd.engine import books, loss_checks
from zerograd.engine import engine_index as living

if TYPE_CHECKING:
    from collections.abc import Iterator


def insides() -> tuple[object, ...]:
    return (
        vars(torch.autograd)["_engine_run_backward"],
        torch.optim.Optimizer.zero_grad,
        torch.nn.Module.zero_grad,
        clip_grad.clip_grad_norm_.__closure__[0].cell_contents,  # type: ignore[index]
        clip_grad.clip_grad_value_.__closure__[0].cell_contents,  # type: ignore[index]
        torch.amp.GradScaler.scale,
        torch.amp.GradScaler.update,
        tuple(_global_optimizer_pre_hooks),
    )


UNPATCHED = insides()


@pytest.fixture(autouse=True)
def torch_is_left_as_it_was_found() -> Iterator[None]:
    torch.manual_seed(0)
    # Kept for the life of a process: once it is set, every loss is looked at.
    loss_checks.scaled.seen = False

    yield

    if living.living:  # in a cycle, which not every engine is: looking for all garbage takes long
        gc.collect()
    assert living.living == []
    indices = (living.by_optimizer, living.by_parameter, living.by_scaler)
    assert indices == ({}, {}, {})
    assert (books.opened, living.at_work) == ({}, {})
    assert insides() == UNPATCHED
