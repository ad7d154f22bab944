"""Clears and clips that torch itself performs: `zero_grad`, `clip_grad_norm_`, `unscale_`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.optim import Optimizer

from zerograd.lifecycle import Clear, Clip, Unscale, Use
from zerograd.watch.gradients.groups import SAME, VANISHED

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

    from zerograd.source.lines import Source
    from zerograd.watch.gradients.groups import Group
    from zerograd.watch.observe.event_poster import Clerk


def post_clear(clerk: Clerk, owner: Optimizer | Module, place: Source) -> None:
    """Post what a `zero_grad` took away."""
    by_name = not isinstance(owner, Optimizer)
    if isinstance(owner, Optimizer):
        groups = clerk.roster.owned_by(clerk.enlist(owner, place))
    else:
        groups = clerk.near(lambda: clerk.roster.take_in(parameters_of(owner)))
    for change, group in clerk.look(groups):
        if change is VANISHED or (change is not SAME and group.representative.holds_zero()):
            _clear(clerk, group, place, by_name=by_name)


def parameters_of(owner: Optimizer | Module) -> list[Tensor]:
    """Return the parameters that an optimizer or a module holds."""
    if isinstance(owner, Optimizer):
        return [parameter for group in owner.param_groups for parameter in group["params"]]
    return list(owner.parameters())


def _clear(clerk: Clerk, group: Group, place: Source, *, by_name: bool) -> None:
    member = group.representative
    # Of a deposit that nobody looked at closely we cannot say that nothing used it.
    if group.fresh:
        clerk.pace.surprise(group)
        if member.value is None or member.was_written():
            clerk.post(clerk.event(Use, place, group.keys))
    clerk.post(clerk.event(Clear, place, group.keys, by_name=by_name))
    group.fresh = group.spent = False


def post_clip(
    clerk: Clerk,
    parameters: list[Tensor],
    limit: Any,
    place: Source,
    *,
    by_value: bool,
    evaluating: bool,
) -> None:
    """Post a clip of what lies there now."""
    clerk.settle(clerk.near(lambda: clerk.roster.take_in(parameters)), place)
    keys = clerk.roster.take_in(parameters)
    measures = isinstance(limit, (int, float)) and limit == float("inf")
    clerk.damages.clip(keys, limit, by_value=by_value)
    clerk.post(clerk.event(Clip, place, keys, measures=measures, evaluating=evaluating))


def post_unscale(clerk: Clerk, scaler: Any, optimizer: Optimizer, place: Source) -> None:
    """Post an unscale; one too many raises, so it is posted before."""
    number = clerk.enlist(optimizer, place)
    clerk.settle(clerk.roster.owned_by(number), place)
    clerk.post(clerk.event(Unscale, place, number, id(scaler)))
