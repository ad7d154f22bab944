"""Subscribe to torch's calls: torch is patched for the first listener and whole after the last."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.utils import clip_grad
from torch.optim import lr_scheduler
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.data import DataLoader, dataloader

from zerograd.hooks import calls
from zerograd.hooks.channels import CHANNELS
from zerograd.hooks.patches import Attribute, Cell, Registration

if TYPE_CHECKING:
    from zerograd.hooks.patches import Patch

_lock = RLock()
_listeners: list[Any] = []
_installed: list[Patch] = []


def subscribe(listener: object) -> None:
    """Tell this listener from now on; a second subscription of the same one changes nothing."""
    with _lock:
        if any(known is listener for known in _listeners):
            return
        _listeners.append(listener)
        _connect()
        if not _installed:
            _installed.extend(_patches())
            for patch in _installed:
                patch.install()


def unsubscribe(listener: object) -> None:
    """Tell it no more; after the last one torch is as it was found."""
    with _lock:
        _listeners[:] = [known for known in _listeners if known is not listener]
        _connect()
        if not _listeners:
            # In reverse, so that a name patched twice ends as it began.
            while _installed:
                _installed.pop().remove()


def _connect() -> None:
    for channel in CHANNELS:
        channel.callbacks = tuple(
            getattr(listener, channel.name)
            for listener in _listeners
            if hasattr(listener, channel.name)
        )


def _patches() -> list[Patch]:
    scaler = torch.amp.GradScaler
    return [
        Attribute(torch.autograd, "_engine_run_backward", calls.backward),
        Registration(register_optimizer_step_pre_hook, calls.step_begins),
        Registration(register_optimizer_step_post_hook, calls.step_ends),
        Attribute(torch.optim.Optimizer, "zero_grad", calls.zero_grad),
        Attribute(torch.optim.Optimizer, "add_param_group", calls.add_param_group),
        Attribute(torch.nn.Module, "zero_grad", calls.zero_grad),
        Cell(clip_grad.clip_grad_norm_, "func", calls.clip),
        Cell(clip_grad.clip_grad_value_, "func", calls.clip),
        Attribute(scaler, "scale", calls.scale),
        Attribute(scaler, "unscale_", calls.unscale),
        Attribute(scaler, "step", calls.scaler_step),
        Attribute(scaler, "update", calls.scaler_update),
        *(Attribute(kind, "step", calls.scheduler_step) for kind in _schedulers()),
        Attribute(DataLoader, "__iter__", calls.loader_iter),
        Attribute(dataloader._BaseDataLoaderIter, "__next__", calls.loader_next),  # noqa: SLF001
    ]


def _schedulers() -> list[type]:
    return [
        kind
        for kind in vars(lr_scheduler).values()
        if isinstance(kind, type)
        and issubclass(kind, lr_scheduler.LRScheduler)
        and "step" in vars(kind)
    ]
