"""ZG104: a step spends deposits that another optimizer's backward left behind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, callers, loops_around, spot
from zerograd.lint.syntax import names_in, text, walk
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lint.accounts import Deposit
    from zerograd.lint.events.event import Event
    from zerograd.lint.interpret.apply import Observation


def judge(seen: Observation, case: Case) -> Draft | None:
    """Find an older source that a rival has spent under a newer one of the account's own."""
    fresh = seen.account.fresh
    if len(fresh) < 2 or seen.account.written:
        return None
    newest, older = fresh[-1], [item for item in fresh[:-1] if item.rival >= 0]
    if newest.rival >= 0 or not older or _shared(newest, case):
        return None
    if any(_alone_sometimes(item, seen, case) for item in older[:1]):
        return None
    left, rival = case.event(older[0].source), case.event(older[0].rival)
    if seen.at in left.weak or _switched_off(left):
        return None
    label = case.holder(seen.at).label
    message = (
        f"`{text(seen.event.node)}` also spends what `{text(left.node)}` deposited "
        f"for `{text(rival.node)}`"
    )
    evidence = [
        ("deposited here", spot(left)),
        ("spent here by the other optimizer", spot(rival)),
        (f"deposited for `{label}` here", spot(case.event(newest.source))),
        *callers(seen.event),
    ]
    return Draft(
        "leaked-deposit",
        spot(seen.event),
        message,
        Severity.WARNING,
        f"call `{label}.zero_grad()` before its own backward; if `{label}` should learn "
        "from both, allow it",
        evidence,
        (seen.event, left),
        seen.at,
    )


def _switched_off(left: Event) -> bool:
    """Tell whether the loop calls `eval()` on what computed the loss: it is not meant to learn."""
    loss = left.loss
    bindings = left.frame.function.scope.bindings
    used = names_in(loss) if loss is not None else set()
    for name in tuple(used):
        used |= {
            inner
            for item in bindings.get(name, ())
            if item.value is not None
            for inner in names_in(item.value)
        }
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "eval"
        and isinstance(node.value, ast.Name)
        and node.value.id in used
        for loop in loops_around(left)[-1:]
        for node in walk(loop)
    )


def _shared(newest: Deposit, case: Case) -> bool:
    """Tell whether several optimizers spend a backward: then it is a joint loss."""
    spenders = {
        seen.at
        for seen in case.steps()
        for item in seen.account.fresh
        if item.source == newest.source and item.rival < 0
    }
    return len(spenders) > 1


def _alone_sometimes(older: Deposit, seen: Observation, case: Case) -> bool:
    """Tell whether the source is also spent here when no rival has spent it."""
    return any(
        item.source == older.source and item.rival < 0
        for other in case.meetings(seen.event, seen.at)
        for item in other.account.fresh
    )
