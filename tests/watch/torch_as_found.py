"""Everything that is ever patched in torch, so that a test can see that none of it is."""

from __future__ import annotations

import torch
from torch import distributed
from torch.nn.modules import module
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grad
from torch.optim import lr_scheduler, optimizer
from torch.utils.data import dataloader

OWNERS = (
    torch.autograd,
    torch.optim.Optimizer,
    torch.nn.Module,
    torch.amp.GradScaler,
    DistributedDataParallel,
    dataloader.DataLoader,
    dataloader._BaseDataLoaderIter,
    clip_grad,
    torch.nn.utils,
    *(kind for kind in vars(lr_scheduler).values() if isinstance(kind, type)),
)

CLOSURES = (clip_grad.clip_grad_norm_, clip_grad.clip_grad_value_)

REGISTRIES = (
    *(getattr(optimizer, name) for name in vars(optimizer) if name.startswith("_global_optimizer")),
    *(getattr(module, name) for name in vars(module) if name.startswith("_global_forward")),
)


def torch_as_found() -> dict[str, object]:
    """Return the identity of every function that somebody might replace."""
    found: dict[str, object] = {
        f"{owner!r}.{name}": id(value)
        for owner in OWNERS
        for name, value in vars(owner).items()
        if callable(value)
    }
    for function in (*CLOSURES, distributed.all_reduce, distributed.reduce):
        cells = function.__closure__ or ()
        found[f"the closure of {function.__name__}"] = tuple(id(c.cell_contents) for c in cells)
    found["global hooks"] = tuple(tuple(registry) for registry in REGISTRIES)
    return found
