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
from torch.utils.data import DataLoader

from zerograd.hooks import call_wrappers as calls
from zerograd.hooks import channels, ranks
from zerograd.hooks import torch_parts as capabilities
from zerograd.hooks.channels import CHANNELS, SHORTCUTS, Channel, hears_the_rest
from zerograd.hooks.guard import Failed, guarded
from zerograd.hooks.patch_kinds import Absent, Attribute, ClosureCell, Registration

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.hooks.patch_kinds import Patch

_lock = RLock()
_listeners: list[Any] = []
_failed: dict[int, Failed | None] = {}
"""Who is told what a listener raises, by the listener's `id`."""
_installed: list[Patch] = []

LACKING = (AttributeError, LookupError, ImportError)
"""What says that this torch has not what a patch replaces; anything else is a mistake of ours."""


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
        channel.connect(_callbacks(channel.name))
    for shortcut in SHORTCUTS:
        shortcut.connect(_listeners)
    mistakes = []
    for told, patches in _patches():
        for patch in patches:
            try:
                _settle(patch, told)
            except Exception as mistake:  # one that fails must not keep the others
                mistakes.append(mistake)
    if mistakes:
        raise mistakes[0]


def _callbacks(name: str) -> tuple[Callable[..., None], ...]:
    """Return whom to call; those that hear the rest are called by the only other listener's."""
    first, rest = list[Any](), list[Any]()
    for listener in _listeners:
        if hasattr(listener, name):
            (rest if hears_the_rest(listener) else first).append(listener)
    then = [guarded(getattr(one, name), _failed[id(one)]) for one in rest]
    if len(first) == 1 and (failed := _failed[id(first[0])]) is not None:
        return (guarded(getattr(first[0], name), failed, *then),)
    return (*(guarded(getattr(one, name), _failed[id(one)]) for one in first), *then)


def _settle(patch: Patch, told: tuple[Channel, ...]) -> None:
    """Install what is heard and not yet installed, remove what nobody hears any more.

    What stays may have another only listener than before.
    """
    heard = any(channel.callbacks for channel in told)
    installed = any(patch is known for known in _installed)
    if heard and not installed:
        _install(patch, told)
    elif heard and isinstance(patch, Attribute | Registration):
        patch.renew()
    elif installed and not heard:
        patch.remove()
        _installed[:] = [known for known in _installed if known is not patch]


def _install(patch: Patch, told: tuple[Channel, ...]) -> None:
    """Put a patch in place, or note what stays silent where this torch has another inside."""
    try:
        patch.install()
    except LACKING:  # whatever torch has there by now, it is as it was found
        capabilities.not_heard(tuple(channel.name for channel in told))
    else:
        _installed.append(patch)


def _clips_with_norm() -> list[Any]:
    found = capabilities.find("torch.nn.utils.clip_grad._clip_grads_with_norm_")
    return [] if found is None else [found]


def _of_schedulers() -> Patch:
    """Return what hears of a scheduler's step.

    Not `LRScheduler.step` itself: its warnings point two frames up, at the user's line.
    """
    if hasattr(lr_scheduler.LRScheduler, "_update_lr"):
        return Attribute(lr_scheduler.LRScheduler, "_update_lr", calls.scheduler_step)
    asking = capabilities.find(f"{capabilities.SCHEDULER}._enable_get_lr_call")
    if asking is None:
        return Absent("LRScheduler._update_lr")
    return Attribute(asking, "__exit__", calls.rates_asked)


def _of_batches() -> Patch:
    """Return what hears of a loader's next batch."""
    path = "torch.utils.data.dataloader._BaseDataLoaderIter"
    drawing = capabilities.find(path)
    if drawing is None:
        return Absent(path)
    return Attribute(drawing, "__next__", calls.loader_next)


@cache
def _patches() -> tuple[tuple[tuple[Channel, ...], tuple[Patch, ...]], ...]:
    """Return which channels each group of patches speaks to."""
    scaler = torch.amp.GradScaler
    return (
        (
            (
                *(channels.backward_begins, channels.backward_ends, channels.gradients_asked),
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
            (
                _of_schedulers(),
                Attribute(lr_scheduler.ReduceLROnPlateau, "step", calls.scheduler_step),
                Attribute(lr_scheduler.CosineAnnealingWarmRestarts, "step", calls.scheduler_step),
            ),
        ),
        ((channels.loader_started,), (Attribute(DataLoader, "__iter__", calls.loader_iter),)),
        ((channels.batch_drawn,), (_of_batches(),)),
        *ranks.patches(),
    )
