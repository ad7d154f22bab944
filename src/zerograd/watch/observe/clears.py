"""Post clears and clips that torch performs: `zero_grad`, `clip_grad_norm_`, `unscale_`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.optim import Optimizer

from zerograd.lifecycle import Clear, Clip, Unscale, Use
from zerograd.watch.gradients.groups import SAME, VANISHED

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

    from zerograd.source.lines import CallSite
    from zerograd.watch.gradients.groups import GradientGroup
    from zerograd.watch.observe.event_poster import EventPoster


def post_clear(poster: EventPoster, owner: Optimizer | Module, place: CallSite) -> None:
    """Post what a `zero_grad` took away."""
    if poster.is_new_clear(place):
        # It may clear less than the one before: no parameter answers for the others now.
        poster.sampling.relapse()
    by_name = not isinstance(owner, Optimizer)
    if isinstance(owner, Optimizer):
        groups = poster.registry.owned_by(poster.enlist(owner, place))
    else:
        groups = poster.near(lambda: poster.registry.take_in(parameters_of(owner)))
    for change, group in poster.look(groups):
        if change is VANISHED or (change is not SAME and group.representative.holds_zero()):
            _clear(poster, group, place, by_name=by_name)


def parameters_of(owner: Optimizer | Module) -> list[Tensor]:
    """Return the parameters that an optimizer or a module holds."""
    if isinstance(owner, Optimizer):
        return [parameter for group in owner.param_groups for parameter in group["params"]]
    return list(owner.parameters())


def _clear(poster: EventPoster, group: GradientGroup, place: CallSite, *, by_name: bool) -> None:
    member = group.representative
    # Of a deposit that nobody looked at closely we cannot say that nothing used it.
    if group.fresh:
        poster.sampling.surprise(group)
        if member.value is None or member.was_written():
            poster.post(poster.event(Use, place, group.keys))
    poster.post(poster.event(Clear, place, group.keys, by_name=by_name))
    group.fresh = group.spent = False


def post_clip(
    poster: EventPoster,
    parameters: list[Tensor],
    limit: Any,
    place: CallSite,
    *,
    by_value: bool,
    evaluating: bool,
) -> None:
    """Post a clip of what lies there now."""
    poster.settle(poster.near(lambda: poster.registry.take_in(parameters)), place)
    keys = poster.registry.take_in(parameters)
    measures = isinstance(limit, (int, float)) and limit == float("inf")
    poster.damages.clip(keys, limit, by_value=by_value)
    poster.post(poster.event(Clip, place, keys, measures=measures, evaluating=evaluating))


def post_unscale(poster: EventPoster, scaler: Any, optimizer: Optimizer, place: CallSite) -> None:
    """Post an unscale; one too many raises, so it is posted before."""
    number = poster.enlist(optimizer, place)
    poster.settle(poster.registry.owned_by(number), place)
    poster.post(poster.event(Unscale, place, number, id(scaler)))
