"""DistributedDataParallel: replicas that average their gradients inside the backward."""

from __future__ import annotations

import weakref
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.autograd.graph import get_gradient_edge

from zerograd.engine.ranks.reduction import average
from zerograd.engine.refusals import refused
from zerograd.errors import ArgumentError
from zerograd.hooks import hidden_from_dynamo
from zerograd.hooks.ranks import reduced_by
from zerograd.hooks.torch_parts import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor
    from torch.distributed import ProcessGroup
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.hooks import RemovableHandle

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.ranks.channel import RankChannel


HOOKS = "torch.distributed.algorithms.ddp_comm_hooks."
AVERAGING = frozenset(
    {
        *("allreduce_hook", "fp16_compress_hook", "bf16_compress_hook"),
        *("powerSGD_hook", "batched_powerSGD_hook", "_reducer_allreduce_and_upcast_hook"),
    }
)
"""Torch's own comm hooks that leave an average."""

AS_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
EXACT = 2**52
"""Whole numbers below this are told as they are."""


class Replicated:
    """A DDP model: every rank holds all gradients, and the last backward averages them."""

    def __init__(self, model: DistributedDataParallel, *, hook_averages: bool) -> None:
        self._model: Any = model
        self._hook_averages = hook_averages
        self.groups: tuple[ProcessGroup, ...] = (model.process_group,)
        self.ranks = dist.get_process_group_ranks(model.process_group)
        self.size = len(self.ranks)
        self._members = [p for p in reduced_by(self._model) if p.requires_grad]
        self._ids = frozenset(map(id, self._members))
        self.device = self._members[0].device
        self._first = True
        self._forward: bool | None = None
        """Of the last forward since `prepare`: whether its backward will be reduced."""

        self._reduced = False
        handle = model.register_forward_pre_hook(ForwardListener(self))
        self.release = weakref.finalize(self, _release, model, handle)
        self.release.atexit = False

    def refuse_unsound(self) -> None:
        """Raise for a comm hook that may not average, and inside `model.join()`."""
        for hook, _ in need(self._model, "_comm_hooks"):  # torch offers no way to ask
            if not (self._hook_averages or _averages(hook)):
                raise ArgumentError(
                    f"{_name(hook)} is a comm hook that is not known to average over ranks, as the "
                    "mean over items needs; pass comm_hook_averages=True if it does"
                )
        if getattr(getattr(self._model, "_join_config", None), "enable", False):
            raise ArgumentError(
                "ranks with fewer batches are joined by the engine itself; remove model.join() and "
                "draw from gradients.batches(loader)"
            )

    def forward_begins(self, model: DistributedDataParallel) -> None:
        """Remember what DDP reads now."""
        if torch.is_grad_enabled():
            self._forward = model.require_backward_grad_sync

    def prepare(self, *, synced: bool, alone: bool) -> None:
        """Set what DDP reads in forward, not in backward."""
        # With a static graph an unreduced first backward hits an internal assert.
        model = self._model
        wanted = synced or (self._first and model.static_graph)
        # An assignment to a module costs as much as a small layer.
        if model.require_backward_grad_sync is not wanted:
            model.require_backward_grad_sync = wanted
        self._forward = None
        if alone:
            # Buffers are broadcast in the forward, and some rank has none.
            model.require_forward_param_sync = False

    def reduces(self) -> bool:
        """Whether the last forward was one whose backward is reduced."""
        return bool(self._forward)

    def reduced(self) -> bool:
        """Whether the window's last backward was reduced."""
        return self._reduced

    def is_bypassed(self) -> bool:
        """Whether the wrapper is to reduce a loss, and no forward went through it."""
        return self._model.require_backward_grad_sync and self._forward is None

    def deposited(self) -> None:
        """Raise what DDP would raise at its next forward, before the step and not after it.

        The same call rebuilds the buckets after the run's first reduction, on all ranks at this
        same place.
        """
        if not self._forward:
            self._reduced = False
            return
        self._reduced = True
        self._first = False
        try:
            _rebuild(self._model.reducer)
        except RuntimeError as error:
            raise refused("loss-reaches-a-part") from error

    def fingerprint(self) -> int | None:
        """Return a number for the bits of all gradients; None where a hook may leave others."""
        if need(self._model, "_comm_hooks"):
            return None
        grads = [p.grad for p in self._members if p.grad is not None]
        # A NaN has many bit patterns, and which of two a sum keeps depends on their order.
        plain = [g.detach().nan_to_num(0, 0, 0) for g in grads if g.layout is torch.strided]
        sums = [g.view(AS_INTEGERS[g.itemsize]).sum(dtype=torch.int64) for g in plain]
        return int(torch.stack(sums).sum()) % EXACT if sums else None

    def holds(self, parameter: Tensor) -> bool:
        """Whether DDP reduces this parameter."""
        return id(parameter) in self._ids

    @contextmanager
    def emptied(self) -> Iterator[None]:
        """Let no gradient arrive, though every parameter is reported to DDP.

        DDP takes a parameter whose gradient is undefined for one that this rank did not use, so
        that one which no rank uses otherwise keeps `.grad` None: AdamW moves what holds zeros.
        """
        nodes = [get_gradient_edge(p).node for p in self._members if p.requires_grad]
        handles = [node.register_prehook(_undefined) for node in nodes]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def reduce(self, books: EngineBooks, channel: RankChannel) -> None:
        """Average the accounts of a window that closed without a reduction."""
        parameters = [p for p in books.accounts.parameters if p.requires_grad]
        average(books, parameters, self.groups[0], channel)
        # Ranks that had no forward have another idea of when buffers are broadcast next.
        self._model.require_forward_param_sync = True

    def set_aside(self, books: EngineBooks) -> Callable[[], None]:
        """Copy what lies in DDP's buckets: it reduces another engine's backward there too."""
        if not self._model.gradient_as_bucket_view:
            return _nothing
        grads = [p.grad for p in self._members if p.grad is not None]
        copies = [grad.detach().clone() for grad in grads]

        def put_back() -> None:
            for grad, copy in zip(grads, copies, strict=True):
                grad.detach().copy_(copy)
            books.excused = True  # the version has moved, and the value is what it was

        return put_back

    def forget(self) -> None:
        """Everything is in `.grad`."""
        self._reduced = False

    def refuse_saving(self) -> None:
        """Everything is in `.grad`."""


def _undefined(grads: tuple[Tensor, ...]) -> Any:
    """Return what stands for no gradient at all."""
    return (None,) * len(grads)


def _rebuild(reducer: Any) -> None:
    """Make DDP's check of the last reduction: its forward makes it too, which is too late."""
    rebuild = getattr(reducer, "_rebuild_buckets", None)
    if rebuild is not None:
        rebuild()


def _nothing() -> None:
    """Nothing was taken away."""


def _averages(hook: Any) -> bool:
    return getattr(hook, "__module__", "").startswith(HOOKS) and _name(hook) in AVERAGING


def _name(hook: Any) -> str:
    return str(getattr(hook, "__name__", type(hook).__name__))


class ForwardListener:
    """A hook that dies with its engine, not with the model."""

    def __init__(self, wrapper: Replicated) -> None:
        self._wrapper = weakref.ref(wrapper)

    def __call__(self, model: DistributedDataParallel, inputs: object) -> None:
        """Tell the engine that a forward begins."""
        del inputs
        living = self._wrapper()
        if living is not None:
            living.forward_begins(model)

    def __reduce__(self) -> Any:
        """Leave a copy of the model something that does nothing, with or without zerograd."""
        return getattr, (nullcontext(), "__exit__")


hidden_from_dynamo(ForwardListener.__call__)  # it writes what Dynamo must not trace


def _release(model: DistributedDataParallel, handle: RemovableHandle) -> None:
    """Leave the model as the engine found it."""
    handle.remove()
    model.require_backward_grad_sync = model.require_forward_param_sync = True
