"""ZG301: a step with nothing deposited since the last one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import spending
from zerograd.lint.checks.evidence.case import (
    Case,
    Draft,
    callers,
    loops_around,
    skipped_deposit,
    spot,
    unsaid,
)
from zerograd.lint.checks.evidence.step_facts import step_facts
from zerograd.lint.confidence import is_silent
from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.knowledge.name_heuristics import is_unknown_call
from zerograd.lint.program.module import Function
from zerograd.lint.program.syntax import last_name, names_in, text, walk
from zerograd.record import replace
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.facts import StepFacts
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.apply_event import Observation
    from zerograd.lint.program.scope import Binding
    from zerograd.lint.values.value import CallFrame


LOSS = ("loss", "err", "cost", "objective")
SHOWING = frozenset(
    {"step", "zero_grad", "append", "get_lr", "get_last_lr", "state_dict", "format"}
)
"""Methods that a loop calls which only shows how a learning rate goes."""


def judge(seen: Observation, case: Case, facts: StepFacts) -> Draft | None:
    """Empty, and nothing was deposited or thrown away since the last step, on every path here."""
    verdict, account = spending.step_without_backward(facts), seen.account
    if verdict is None:
        return None
    verdict = verdict.assuming(
        {
            "no-deposit-skipped": not skipped_deposit(seen, case),
            "in-a-training-loop": not _computes_nothing(seen.event),
        }
    )
    if is_silent(verdict):
        return unsaid(verdict, seen.event, seen.at)
    label = case.holder(seen.at).label
    message = (
        f"`{text(seen.event.node)}` spends nothing: no backward since the last step of `{label}`"
    )
    evidence = callers(seen.event)
    if account.spender >= 0:
        evidence = [("the last step", spot(case.event(account.spender))), *evidence]
    return Draft(
        verdict,
        spot(seen.event),
        message,
        "call `loss.backward()` before this step",
        evidence,
        (seen.event,),
        seen.at,
    )


def _computes_nothing(event: SourceEvent) -> bool:
    """Tell whether nothing but the optimizer and its kin is called in the step's loop.

    A loop that plots a schedule steps an optimizer to silence a warning of torch.
    """
    loops = loops_around(event)
    return bool(loops) and not any(
        isinstance(node, ast.Call) and not _shows(node) for node in walk(loops[-1])
    )


def _shows(call: ast.Call) -> bool:
    """`optimizer.step()`, `scheduler.get_last_lr()`, `rates.append(...)`, `print(...)`."""
    func = call.func
    if isinstance(func, ast.Name):
        return func.id in ("range", "print", "len", "enumerate", "tqdm")
    return isinstance(func, ast.Attribute) and func.attr in SHOWING


def check(case: Case) -> Iterator[Draft]:
    """Find a step in a loop that computes a loss, in a program where nothing can deposit for it."""
    told: set[int] = set()
    for seen in case.steps():
        at, event = seen.at, seen.event
        loss = None if at in told else _undeposited_loss(seen, case)
        if loss is None:
            continue
        told.add(at)
        # A loop runs its step three times and more: it is the run without any backward.
        facts = replace(
            step_facts(seen, case),
            empty=True,
            deposited=False,
            ever_deposited=False,
            nothing_in_the_run=True,
        )
        verdict = spending.step_without_backward(facts)
        if verdict is None:
            continue
        verdict = verdict.assuming({"no-framework-deposit": not _may_deposit_elsewhere(case)})
        if is_silent(verdict):
            yield unsaid(verdict, event, at)
            continue
        message = (
            f"`{text(event.node)}` spends nothing: "
            f"no backward ever deposits for `{case.holder(at).label}`"
        )
        yield Draft(
            verdict,
            spot(event),
            message,
            f"call `{loss}.backward()` before this step",
            callers(event),
            (event,),
            at,
        )


def _undeposited_loss(seen: Observation, case: Case) -> str | None:
    """Return the loss that the step's loop computes, if nothing in the program deposits for it."""
    event, at = seen.event, seen.at
    if event.manual or event.closure or not loops_around(event):
        return None
    if case.holder(at).start.extra and seen.account.extra:
        # What lay there before is not known, and nothing cleared it since.
        return None
    if case.touching(at, CallEffect.DEPOSIT, CallEffect.WRITE, CallEffect.UNKNOWN):
        return None
    return _unused_loss(event, case)


def _may_deposit_elsewhere(case: Case) -> bool:
    """Tell whether an engine or a call that cannot be followed may deposit."""
    return any(
        event.effect in (CallEffect.UNKNOWN, CallEffect.WRITE) for event in case.plan.events
    ) or (
        any(
            "backward" in module.source.text.replace(".backward()", "")
            for module in {event.frame.function.module for event in case.plan.events}
        )
    )


def _unused_loss(event: SourceEvent, case: Case) -> str | None:
    """Return a loss that the step's own loop computes and nothing deposits."""
    deposited = {
        text(item.loss)
        for item in case.plan.events
        if item.effect is CallEffect.DEPOSIT and item.loss is not None
    }
    around = next(item for item in reversed(event.context) if item.place is EnclosingKind.LOOP)
    loop = around.node
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    made = [
        (name, item)
        for name, found in around.frame.function.scope.bindings.items()
        for item in found
        if has_word(name, LOSS)
        and name not in deposited
        and first <= item.node.lineno <= last
        and isinstance(item.value, ast.Call | ast.BinOp)
        # `total_loss += loss.item()` sums for the log what was deposited.
        and not any(text(part) in deposited for part in _expressions(item.value))
    ]
    # The mean of losses that such a call returned is computed here as well.
    held = {name for at in event.must for name in _held(case, at)}
    home = around.frame
    if any(_may_deposit(item) or _is_given_a_model(item, home, case, held) for _, item in made):
        return None
    return made[0][0] if made else None


def _held(case: Case, at: int) -> set[str]:
    """Return the names that an optimizer was built from: `model` of `Adam(model.parameters())`."""
    value = case.holder(at).value
    return names_in(value.site) if value is not None and value.site is not None else set()


def _is_given_a_model(item: Binding, frame: CallFrame, case: Case, held: set[str]) -> bool:
    """`loss = objective(model, batch)`: whether an object that is handed the model makes the loss.

    Its forward may go backward by itself, part by part. A function of the project was followed.
    """
    call = item.value
    if not isinstance(call, ast.Call) or isinstance(
        case.resolver.definition(call.func, frame), Function
    ):
        return False
    return any(isinstance(node, ast.Name) and node.id in held for node in call.args)


def _expressions(whole: ast.expr) -> Iterator[ast.expr]:
    return (part for part in walk(whole) if isinstance(part, ast.expr))


def _may_deposit(item: Binding) -> bool:
    """`losses = agent.step(batch)`: whoever returns a loss may have deposited it."""
    name = last_name(item.value.func) if isinstance(item.value, ast.Call) else None
    return bool(item.index) or (name is not None and is_unknown_call(name))
