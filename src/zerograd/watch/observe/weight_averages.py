"""Detect an average of the weights (EMA, teacher) that advances between the deposits of a window.

An average is a tensor outside every optimizer, of a parameter's shape and near to it, that moves
straight toward it: `average += (1 - decay) * (weight - average)`. Whoever keeps it, and however it
is written, that is what an update does. The tensors are searched for once a window has several
deposits, and followed for a few windows.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from zerograd.lifecycle import Fault, Witness
from zerograd.lifecycle.verdicts.accumulation import average_in_window
from zerograd.record import field, record
from zerograd.source.averages import update_near
from zerograd.watch.gradients.recently_used import RecentlyUsed
from zerograd.watch.gradients.values import local

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor
    from torch.optim import Optimizer

    from zerograd.source.lines import CallSite

SEARCHED = (2, 5)
"""The windows before which averages are searched for: objects are gone through one by one."""

FOLLOWED = 12
"""Windows of an optimizer that are followed."""

LARGEST = 2**22
"""Elements of the parameter whose average is searched for."""

SAMPLED = 256
"""Elements that are compared."""

MOST = 8
"""Tensors that are followed for one optimizer."""

NEAR, STRAIGHT = 0.5, 0.99
"""How much an average points where the weight does, and its change to the weight."""


@record()
class _Follower:
    """A tensor that may be an average of a weight."""

    tensor: ref[Tensor]
    last: Tensor
    moves: int = 0
    """Deposits of the open window before which it moved toward the weight."""

    strayed: bool = False
    """It changed in another way: no average, or one of something else."""


@record()
class _Followed:
    windows: int = 0
    deposits: int = 0
    running: int = 0
    """Windows running in which one tensor moved between all deposits."""

    mixed: bool = False
    """The open window is not one of micro-batches: other losses, or another optimizer's steps."""

    source: CallSite | None = None
    update: CallSite | None = None
    """The line that updates the average: one object, since call sites compare by identity."""

    weight: ref[Tensor] | None = None
    followers: list[_Follower] = field(default_factory=list)


class WeightAverages:
    """Follows what could be averages of an optimizer's weights, in its first windows."""

    def __init__(self) -> None:
        self._by_number: RecentlyUsed[int, _Followed] = RecentlyUsed()

    def deposit(self, owners: Iterable[int], place: CallSite) -> None:
        """Note a backward that begins; from the second of a window on, averages must not move."""
        for number in owners:
            followed = self._by_number.get(number)
            if followed is not None and followed.windows <= FOLLOWED:
                followed.mixed |= followed.deposits > 0 and followed.source is not place
                followed.deposits += 1
                followed.source = place
                _look(followed, counted=followed.deposits > 1)

    def step(self, number: int, optimizer: Optimizer, place: CallSite) -> Fault | None:
        """End a window; return the fault if an average moved with its deposits, twice running."""
        followed = self._by_number.get(number)
        if followed is None:
            followed = self._by_number[number] = _Followed()
        for other in self._by_number.values():
            # A target network follows after another optimizer's step, in mid-window of this one.
            other.mixed |= other is not followed
        mixed, followed.mixed = followed.mixed, False
        deposits, followed.deposits = followed.deposits, 0
        followed.windows += 1
        if followed.windows > FOLLOWED:
            followed.followers = []
            return None
        # What followed the last deposit went toward the weight as it is before this step.
        _look(followed, counted=False)
        advanced = [one for one in followed.followers if one.moves >= deposits - 1 > 0]
        followed.running = followed.running + 1 if advanced and not mixed else 0
        for one in followed.followers:
            one.moves = 0
        if followed.windows in SEARCHED and deposits > 1:
            _search(followed, optimizer)
        verdict = average_in_window(several=deposits > 1, at_each_deposit=followed.running >= 2)
        if verdict is None or followed.source is None:
            return None
        followed.update = followed.update or update_near(followed.source) or followed.source
        spent = Witness("the optimizer steps here", place)
        step = followed.windows
        return Fault.of(verdict, followed.update, spent, optimizer=number, step=step)


def _look(followed: _Followed, *, counted: bool) -> None:
    weight = followed.weight() if followed.weight is not None else None
    if weight is None or not _is_plain(weight):
        return
    to = _elements(weight)
    for one in followed.followers:
        tensor = one.tensor()
        if tensor is None or tensor.numel() != weight.numel() or not _is_plain(tensor):
            continue
        now = _elements(tensor)
        if torch.equal(now, one.last):
            continue
        if _cosine(now - one.last, to - one.last) < STRAIGHT:
            one.strayed = True
        one.moves += counted
        one.last = now
    followed.followers = [one for one in followed.followers if not one.strayed]


def _search(followed: _Followed, optimizer: Optimizer) -> None:
    """Find tensors outside the optimizer that are near its largest weight."""
    own = [p for group in optimizer.param_groups for p in group["params"]]
    fitting = [p for p in own if _is_plain(p) and 2 <= p.numel() <= LARGEST]
    if not fitting or followed.followers:
        return
    weight = max(fitting, key=lambda parameter: parameter.numel())
    excluded = {id(one) for parameter in own for one in (parameter, parameter.grad)}
    to = _elements(weight)
    followed.weight = ref(weight)
    for found in _alike(weight, excluded):
        if _cosine(_elements(found), to) > NEAR:
            followed.followers.append(_Follower(ref(found), _elements(found)))
        if len(followed.followers) == MOST:
            break


def _alike(weight: Tensor, excluded: set[int]) -> list[Tensor]:
    # By type and not by `isinstance`: a proxy among the objects could run code of its own.
    return [
        found
        for found in gc.get_objects()
        if type(found) in KINDS
        and id(found) not in excluded
        and found.shape == weight.shape
        and found.device == weight.device
        and found.grad_fn is None
        and _is_plain(found)
    ]


KINDS = (torch.Tensor, torch.nn.Parameter)
"""Not a shard, whose elements are not those of the whole."""


def _is_plain(tensor: Any) -> bool:
    if type(tensor) not in KINDS or tensor.layout is not torch.strided:
        return False
    if not tensor.is_floating_point() or tensor.is_meta:
        return False
    # FSDP2 frees the memory of whole parameters, and keeps the tensors.
    return bool(local(tensor).untyped_storage().nbytes())


@torch.no_grad()
def _elements(tensor: Tensor) -> Tensor:
    flat = local(tensor).detach().flatten()
    return flat[:: max(1, len(flat) // SAMPLED)][:SAMPLED].double()


def _cosine(one: Tensor, other: Tensor) -> float:
    norms = float(one.norm() * other.norm())
    return float(torch.dot(one, other)) / norms if norms else 0.0
