"""ZG101: a step that spends fresh deposits on top of ones that were already spent."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import clearing
from zerograd.lifecycle.verdicts.precedence import is_absorbed
from zerograd.lint.checks.evidence.case import (
    Case,
    Draft,
    Spot,
    answer,
    callers,
    holds,
    line,
    loops_around,
    spot,
    tests_around,
    trail,
    unsaid,
)
from zerograd.lint.checks.evidence.counted_windows import clears_in_time
from zerograd.lint.checks.evidence.step_facts import own_deposits
from zerograd.lint.confidence import is_silent
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.flow import Branch
from zerograd.lint.program.syntax import text, walk

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.facts import StepFacts
    from zerograd.lint.events.accounts import Deposit
    from zerograd.lint.interpret.apply_event import Observation

CLOSURES = ("zero-outside-closure",)
"""What is reported of a step that evaluates its closure again."""

STEP_HOOKS = ("register_step_post_hook", "register_step_pre_hook")


def judge(seen: Observation, case: Case, facts: StepFacts) -> Draft | None:
    """Stale and fresh deposits in one account at its step."""
    at, step = seen.at, seen.event
    verdict = clearing.missing_zero(facts)
    if verdict is None or (step.repeats_closure and is_absorbed(verdict, CLOSURES)):
        return None
    clears = case.touching(at, CallEffect.CLEAR)
    unknown = case.touching(at, CallEffect.UNKNOWN)
    verdict = verdict.assuming(
        {
            "one-optimizer": not (case.holder(at).summary and clears),
            "no-step-hook": not case.mentions(*STEP_HOOKS),
            "clear-not-switched-off": not any(_opted_out(event) for event in clears),
            "nothing-unfollowed": not any(event.everything for event in unknown),
        }
    )
    if is_silent(verdict):
        return unsaid(verdict, step, at)
    made = case.event(_standing(own_deposits(seen, case)).source)
    if clears and clears_in_time(case, made, step, at):
        return unsaid(verdict.assuming({"counted-so": False}), step, at)
    message, why = _words(seen, case, clears, made)
    evidence = [(f"spent by `{text(step.node)}`", spot(step)), *why, *callers(made)]
    return Draft(verdict, spot(made), message, _help(case, at), evidence, (made, step), at)


def _opted_out(clear: SourceEvent) -> bool:
    """Tell whether a switch named after accumulation turns the clear off: `cfg.accum_grad`."""
    return any(
        "accum" in text(test) and not any(isinstance(item, ast.Compare) for item in walk(test))
        for node, _ in tests_around(clear)
        if isinstance(test := getattr(node, "test", None), ast.expr)
    )


def _standing(fresh: list[Deposit]) -> Deposit:
    """Return the oldest fresh deposit that no other optimizer spends, else the oldest."""
    own = [item for item in fresh if item.rival < 0]
    return (own or fresh)[0]


def _help(case: Case, at: int) -> str:
    holder = case.holder(at)
    if holder.manual:
        return f"clear it before this backward: `{holder.label}.grad = None`"
    return f"call `{holder.label}.zero_grad()` before this backward"


def _words(
    seen: Observation, case: Case, clears: list[SourceEvent], made: SourceEvent
) -> tuple[str, list[tuple[str, Spot]]]:
    """Which of the ways to miss a clear this is."""
    label = case.holder(seen.at).label
    start = "adds to gradients that were already spent"
    if not clears:
        return f"`{text(made.node)}` {start}: `{label}` is never cleared", []
    decided = _decider(seen, clears)
    if decided is not None:
        branch, taken, module_event = decided
        why = f"not cleared when {answer(branch, taken=taken)}"
        place = Spot(branch.test, module_event.frame.function.module)
        return f"`{text(made.node)}` {start}: `{label}` is {why}", [(why, place)]
    outside = [event for event in clears if len(loops_around(event)) < len(loops_around(made))]
    evidence = [("cleared only here", spot(event)) for event in clears[:1]]
    if outside:
        return (
            f"`{text(made.node)}` {start}: `{label}` is cleared only outside this loop "
            f"(line {line(outside[0])})"
        ), evidence
    return (
        f"`{text(made.node)}` {start}: `{label}` is not cleared on every path to this line",
        evidence,
    )


def _decider(
    seen: Observation, clears: list[SourceEvent]
) -> tuple[Branch, bool, SourceEvent] | None:
    """Return the branch on this path whose other side holds a clear of the account."""
    for step in trail(seen.state.trail):
        what = step.what
        if isinstance(what, SourceEvent):
            if what.number == seen.account.spender:
                return None
            continue
        if isinstance(what, Branch):
            skipped = what.other if step.taken else what.then
            for event in clears:
                if any(holds(node, event.node) for node in skipped):
                    return what, step.taken, event
    return None
