"""ZG301: a step with nothing deposited since the last one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, callers, loops_around, skipped_deposit, spot
from zerograd.lint.events.event import Place
from zerograd.lint.knowledge import Effect
from zerograd.lint.knowledge.words import has_word, is_unknown_call
from zerograd.lint.syntax import last_name, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import Event
    from zerograd.lint.interpret.apply import Observation
    from zerograd.lint.scope import Binding


LOSS = ("loss", "err", "cost", "objective")


def judge(seen: Observation, case: Case) -> Draft | None:
    """Empty, and nothing was deposited or thrown away since the last step, on every way here."""
    account = seen.account
    if not account.begun or not _idle(seen):
        return None
    if skipped_deposit(seen, case) or not all(
        _idle(other) for other in case.meetings(seen.event, seen.at) if other.account.begun
    ):
        return None
    label = case.holder(seen.at).label
    message = (
        f"`{text(seen.event.node)}` spends nothing: no backward since the last step of `{label}`"
    )
    evidence = callers(seen.event)
    if account.spender >= 0:
        evidence = [("the last step", spot(case.event(account.spender))), *evidence]
    return Draft(
        "step-without-backward",
        spot(seen.event),
        message,
        case.severity(seen.at),
        "call `loss.backward()` before this step",
        evidence,
        (seen.event,),
        seen.at,
    )


def check(case: Case) -> Iterator[Draft]:
    """Find a step in a loop that computes a loss, in a program where nothing can deposit for it."""
    fresh = [item.start.extra for item in case.plan.holders]
    told: set[int] = set()
    for seen in case.steps():
        at, event = seen.at, seen.event
        if at in told or event.manual or event.closure or fresh[at] or not loops_around(event):
            continue
        if case.touching(at, Effect.DEPOSIT, Effect.WRITE, Effect.UNKNOWN) or _owned(case):
            continue
        loss = _unused_loss(event, case)
        if loss is not None:
            told.add(at)
            message = (
                f"`{text(event.node)}` spends nothing: "
                f"no backward ever deposits for `{case.holder(at).label}`"
            )
            yield Draft(
                "step-without-backward",
                spot(event),
                message,
                case.severity(at),
                f"call `{loss}.backward()` before this step",
                callers(event),
                (event,),
                at,
            )


def _owned(case: Case) -> bool:
    """Tell whether an engine or a call that cannot be followed may deposit."""
    return any(event.effect in (Effect.UNKNOWN, Effect.WRITE) for event in case.plan.events) or (
        any(
            "backward" in module.source.text.replace(".backward()", "")
            for module in {event.frame.function.module for event in case.plan.events}
        )
    )


def _unused_loss(event: Event, case: Case) -> str | None:
    """Return a loss that the step's own loop computes and nothing deposits."""
    deposited = {
        text(item.loss)
        for item in case.plan.events
        if item.effect is Effect.DEPOSIT and item.loss is not None
    }
    around = next(item for item in reversed(event.context) if item.place is Place.LOOP)
    loop = around.node
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    for name, found in around.frame.function.scope.bindings.items():
        if (
            has_word(name, LOSS)
            and name not in deposited
            and any(
                first <= item.node.lineno <= last
                and isinstance(item.value, ast.Call | ast.BinOp)
                and not _may_deposit(item)
                for item in found
            )
        ):
            return name
    return None


def _may_deposit(item: Binding) -> bool:
    """`losses = agent.step(batch)`: whoever returns a loss may have deposited it."""
    name = last_name(item.value.func) if isinstance(item.value, ast.Call) else None
    return bool(item.index) or (name is not None and is_unknown_call(name))


def _idle(seen: Observation) -> bool:
    account = seen.account
    return account.empty and not account.thrown and not account.moved and not account.frozen
