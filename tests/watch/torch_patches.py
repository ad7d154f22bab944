"""What listening replaces in torch; a test module that imports `torch_is_whole` leaves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.nn.modules import module as module_hooks
from torch.optim import optimizer as optimizer_hooks
from torch.utils.data import DataLoader

if TYPE_CHECKING:
    from collections.abc import Iterator


def patched_places() -> list[Any]:
    """Return everything that listening replaces or adds to."""
    clip = torch.nn.utils.clip_grad_norm_
    return [
        vars(torch.autograd)["_engine_run_backward"],
        torch.optim.Optimizer.zero_grad,
        torch.optim.Optimizer.add_param_group,
        torch.nn.Module.zero_grad,
        torch.amp.GradScaler.step,
        DataLoader.__iter__,
        *(cell.cell_contents for cell in clip.__closure__ or ()),
        dict(optimizer_hooks._global_optimizer_pre_hooks),
        dict(optimizer_hooks._global_optimizer_post_hooks),
        dict(module_hooks._global_forward_pre_hooks),
        dict(module_hooks._global_forward_hooks),
    ]


@pytest.fixture(autouse=True)
def torch_is_whole() -> Iterator[None]:
    """Fail a test that leaves anything of ours installed."""
    before = patched_places()

    yield

    assert patched_places() == before
