"""Subscribe to torch's calls: the first listener installs a patch, the last one removes it."""

from __future__ import annotations

from functools import cache
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

from zerograd.hooks import calls, channels, ranks
from zerograd.hooks.channels import CHANNELS, SHORTCUTS, Channel
from zerograd.hooks.guard import Failed, guarded
from zerograd.hooks.patches import Attribute, ClosureCell, Registration

if TYPE_CHECKING:
    from zerograd.hooks.patches import Patch

_lock = RLock()
_listeners: list[Any] = []
_failed: dict[int, Failed | None] = {}
"""Who is told what a listener raises, by the listener's `id`."""
_installed: list[Patch] = []


def subscribe(listener: object, failed: Failed | None = None) -> None:
    """Tell this listener from now on; a second subscription of the same one changes nothing.

    `failed` is told what a method of the listener raises. Without it that is meant for the program.
    """
    with _lock:
        if not any(known is listener for known in _listeners):
            _listeners.append(listener)
            _failed[id(listener)] = failed
            try:
                _connect()
            except BaseException:
                unsubscribe(listener)
                raise


def unsubscribe(listener: object) -> None:
    """Tell it no more; after the last one torch is as it was found."""
    with _lock:
        _listeners[:] = [known for known in _listeners if known is not listener]
        _failed.pop(id(listener), None)
        _connect()


def _connect() -> None:
    for channel in CHANNELS:
        channel.connect(
            tuple(
                guarded(getattr(listener, channel.name), _failed[id(listener)])
                for listener in _listeners
                if hasattr(listener, channel.name)
            )
        )
    for shortcut in SHORTCUTS:
        shortcut.connect(_listeners)
    mistakes = []
    for told, patches in _patches():
        heard = any(channel.callbacks for channel in told)
        for patch in patches:
            try:
                _settle(patch, heard=heard)
            except Exception as mistake:  # one that fails must not keep the others
                mistakes.append(mistake)
    if mistakes:
        raise mistakes[0]


def _settle(patch: Patch, *, heard: bool) -> None:
    """Install what is heard and not yet installed, remove what nobody hears any more.

    What stays may have another only listener than before.
    """
    installed = any(patch is known for known in _installed)
    if heard and not installed:
        patch.install()
        _installed.append(patch)
    elif heard and isinstance(patch, Attribute | Registration):
        patch.renew()
    elif installed and not heard:
        patch.remove()
        _installed[:] = [known for known in _installed if known is not patch]


def _clips_with_norm() -> list[Any]:
    found = getattr(clip_grad, "_clip_grads_with_norm_", None)
    return [] if found is None else [found]


@cache
def _patches() -> tuple[tuple[tuple[Channel, ...], tuple[Patch, ...]], ...]:
    """Return which channels each group of patches speaks to."""
    scaler = torch.amp.GradScaler
    iterator = dataloader._BaseDataLoaderIter  # noqa: SLF001  the class that draws batches
    return (
        (
            (
                *(channels.backward_begins, channels.backward_ends),
                *(channels.foreign_backward_begins, channels.foreign_backward_ends),
            ),
            (Attribute(torch.autograd, "_engine_run_backward", calls.backward),),
        ),
        (
            (channels.step_begins, channels.closure_evaluated),
            (Registration(register_optimizer_step_pre_hook, calls.before_step),),
        ),
        (
            (channels.step_ends,),
            (Registration(register_optimizer_step_post_hook, calls.after_step),),
        ),
        (
            (channels.clear_begins, channels.cleared),
            (
                Attribute(torch.optim.Optimizer, "zero_grad", calls.zero_grad),
                Attribute(torch.nn.Module, "zero_grad", calls.zero_grad),
            ),
        ),
        (
            (channels.group_added,),
            (Attribute(torch.optim.Optimizer, "add_param_group", calls.add_param_group),),
        ),
        (
            (channels.clip_begins, channels.clip_ends),
            (
                ClosureCell(clip_grad.clip_grad_norm_, "func", calls.clip),
                ClosureCell(clip_grad.clip_grad_value_, "func", calls.clip),
                # Its public name is `clip_grads_with_norm_`; torch 2.5 does not have it.
                *(ClosureCell(one, "func", calls.clip) for one in _clips_with_norm()),
            ),
        ),
        ((channels.loss_scaled,), (Attribute(scaler, "scale", calls.scale),)),
        (
            (channels.unscale_begins, channels.unscaled),
            (Attribute(scaler, "unscale_", calls.unscale),),
        ),
        (
            (channels.scaler_step_begins, channels.scaler_step_ends),
            (Attribute(scaler, "step", calls.scaler_step),),
        ),
        (
            (channels.scaler_update_begins, channels.scaler_updated),
            (Attribute(scaler, "update", calls.scaler_update),),
        ),
        (
            (channels.scheduler_stepped,),
            # Not `LRScheduler.step` itself: its warnings point two frames up, at the user's line.
            (
                Attribute(lr_scheduler.LRScheduler, "_update_lr", calls.scheduler_step),
                Attribute(lr_scheduler.ReduceLROnPlateau, "step", calls.scheduler_step),
                Attribute(lr_scheduler.CosineAnnealingWarmRestarts, "step", calls.scheduler_step),
            ),
        ),
        ((channels.loader_started,), (Attribute(DataLoader, "__iter__", calls.loader_iter),)),
        ((channels.batch_drawn,), (Attribute(iterator, "__next__", calls.loader_next),)),
        *ranks.patches(),
    )
