"""ZG207: a scheduler that advances at each micro-batch while the optimizer steps once a window."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import accumulation
from zerograd.lint.checks.evidence.case import Case, Draft, callers, spot
from zerograd.lint.checks.evidence.counted_windows import counted
from zerograd.lint.checks.evidence.windows import (
    AbstractWindow,
    each_micro_batch,
    moduli,
    waits_for_sync,
    windows,
)
from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import BindingKind, returns
from zerograd.lint.program.syntax import dotted, is_constant, keyword, last_name, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.program.scope import Binding
    from zerograd.lint.values.value import CallFrame

PREPARERS = ("prepare", "setup")
"""How calls begin that hand an optimizer to Accelerate: its own, or a helper's."""

RUN = re.compile(r"\A[^*]*+\*.*epoch|\A(?=[^*]*+\*).*?epoch(?!_(?:size|len))\w*+[^*]*+\*")
"""A product with the number of epochs: something that is counted over the whole run.

`epoch` behind the first `*`, or before one. Both begin at the text's beginning: a search that
began at each `epoch` anew would take quadratic time on a long line of them."""

BATCHES = re.compile(r"\blen\([\w.]{0,100}?load\w{0,100}+\)")
"""The number of batches in an epoch."""

SPELLED_OUT = 3
"""Assignments between a schedule's length and what it is computed from."""

COMPUTING = frozenset({"ceil", "float", "floor", "int", "len", "max", "min", "round"})
"""Functions of numbers, as far as a schedule's length is computed with them."""


def check(case: Case) -> Iterator[Draft]:
    """Scheduler steps in the deposit's loop and not under the step's test."""
    told: set[int] = set()
    for window in windows(case):
        several = _spends_windows(case, window)
        for event in case.plan.events:
            if event.effect is not CallEffect.SCHEDULE or id(event.node) in told:
                continue
            verdict = accumulation.scheduler_in_window(
                several=several,
                at_each_deposit=several and _at_each_deposit(case, event, window),
                counted_in_batches=several and _counts_batches(case, event, window),
            )
            if verdict is not None:
                told.add(id(event.node))
                yield _draft(case, verdict, event, window)


def _at_each_deposit(case: Case, event: SourceEvent, window: AbstractWindow) -> bool:
    """Tell whether a schedule advances with the deposits: as it was counted, or as it stands."""
    if window.gated:
        return _is_let_go(case, event, window) or (
            not waits_for_sync(event, window) and _unprepared(event, window)
        )
    if not each_micro_batch(event, window):
        return False
    inside = [item for run in counted(case, window) for item in run.filled[1:] if item.epoch == 0]
    return all(item.schedules.get(event.number, 0) >= item.size for item in inside)


def _spends_windows(case: Case, window: AbstractWindow) -> bool:
    """Tell whether every step waits for the same test, and finds several deposits then."""
    if window.gated:
        return True
    steps = {item.number for item in case.plan.events if item.effect is CallEffect.STEP}
    tests = {item.step.number: text(item.test) if item.test else "" for item in windows(case)}
    alike = all(tests.get(number) == tests[window.step.number] for number in steps)
    return (len(steps) == 1 or (alike and window.test is not None)) and any(
        fresh.many for seen in case.meetings(window.step, window.at) for fresh in seen.account.fresh
    )


def _is_let_go(case: Case, event: SourceEvent, window: AbstractWindow) -> bool:
    """`Accelerator(step_scheduler_with_optimizer=False)`: a schedule that it does not hold back."""
    around = _accumulating(window.step)
    if around is None or not _beside(event, window.step):
        return False
    at, owner = around
    driver = case.resolver.value(owner, window.step.context[at].frame)
    tested = any(
        item.place in (EnclosingKind.THEN, EnclosingKind.OTHER)
        for item in window.step.context[at + 1 :]
    )
    site = driver.site if driver is not None and not tested else None
    return site is not None and is_constant(keyword(site, "step_scheduler_with_optimizer"), False)


def _accumulating(step: SourceEvent) -> tuple[int, ast.expr] | None:
    """Return whose `accumulate()` a step stands in, and its place among all around the step."""
    for at, around in enumerate(step.context):
        for item in getattr(around.node, "items", ()):
            call = item.context_expr
            func = call.func if isinstance(call, ast.Call) else None
            if isinstance(func, ast.Attribute) and func.attr == "accumulate":
                return at, func.value
    return None


def _unprepared(event: SourceEvent, window: AbstractWindow) -> bool:
    """Accelerate holds back what `prepare` was given; a scheduler that it was not given runs on."""
    module = event.frame.function.module
    call = event.node
    if module is not window.step.frame.function.module or not isinstance(call, ast.Call):
        return False
    if not _beside(event, window.step):
        return False
    name = last_name(call.func.value) if isinstance(call.func, ast.Attribute) else None
    given = [
        text(item)
        for call_given in dict.fromkeys(
            one for found in module.calls_given.values() for one in found
        )
        if (last_name(call_given.func) or "").startswith(PREPARERS)
        for item in (*call_given.args, *(pair.value for pair in call_given.keywords))
    ]
    holds = any("opt" in item for item in given)
    return holds and name is not None and not any(name in item for item in given)


def _beside(event: SourceEvent, step: SourceEvent) -> bool:
    """Tell whether nothing but what decides about the step decides about the schedule.

    `if scheduler is not None` only asks whether there is one.
    """
    call = event.node
    func = call.func if isinstance(call, ast.Call) else None
    name = text(func.value) if isinstance(func, ast.Attribute) else ""
    asked = (name, f"{name} is not None")
    return [
        (item.node, item.place)
        for item in event.context
        if text(getattr(item.node, "test", item.node)) not in asked
    ] == [(item.node, item.place) for item in step.context]


def _counts_batches(case: Case, event: SourceEvent, window: AbstractWindow) -> bool:
    """Tell whether the schedule's length is in micro-batches.

    `T_max=len(loader) * epochs`, or as many steps as `max_steps * args.accumulate`.
    """
    made = event.targets[0] if event.targets else None
    if made is None or made.site is None or made.frame is None:
        return False
    # `get_scheduler(optimizer, epochs * len(loader))`, whose helper makes the schedule.
    calls = [(made.site, made.frame), *made.frame.calls()]
    given = [
        (node, frame)
        for call, frame in calls
        for node in (*call.args, *(item.value for item in call.keywords))
    ]
    divisors = [text(node) for node, _ in moduli(window)] if window.test else _told(case, window)
    return any(
        any(_multiplies(divisor, length) for divisor in divisors)
        or (
            (RUN.search(length) or BATCHES.search(length))
            and not any(_mentions(divisor, length) for divisor in divisors)
        )
        for node, frame in given
        for length in (_spelled(node, frame), *_returned(node, frame))
    )


def _told(case: Case, window: AbstractWindow) -> list[str]:
    """Return how lengths spell the number of micro-batches that Accelerate was told of."""
    around = _accumulating(window.step)
    if around is None:
        return []
    at, owner = around
    driver = case.resolver.value(owner, window.step.context[at].frame)
    site = driver.site if driver is not None else None
    given = keyword(site, "gradient_accumulation_steps") if site is not None else None
    return [f"{text(owner)}.gradient_accumulation_steps", *([text(given)] if given else [])]


def _returned(node: ast.expr, frame: CallFrame) -> list[str]:
    """Return what the functions of a name compute: `LambdaLR(optimizer, factor)`."""
    if not isinstance(node, ast.Name):
        return []
    return [
        _spelled(value, frame)
        for item in walk(frame.function.node)
        if isinstance(item, ast.FunctionDef) and item.name == node.id
        for value in returns(item)
    ]


def _mentions(divisor: str, length: str) -> bool:
    """Tell whether a schedule's length mentions what windows are divided by."""
    return divisor.rpartition(".")[2] in length


def _multiplies(divisor: str, length: str) -> bool:
    """Tell whether a schedule's length is so many windows, counted in micro-batches.

    `len(loader) // k * epochs` multiplies what was divided by the window's length.
    """
    return f"* {divisor}" in length or bool(
        re.search(rf"(?<!/ )(?<![\w.]){re.escape(divisor)} \*", length)
    )


def _spelled(node: ast.expr, frame: CallFrame, depth: int = 0) -> str:
    """Return what an argument was computed from, names replaced by what was assigned to them."""
    spelled = text(node)
    if depth > SPELLED_OUT:
        return spelled
    for name in sorted(_paths(node)):
        found = _assigned(name, frame)
        value = found[0].value if len(found) == 1 else None
        if value is not None and found[0].how is BindingKind.ASSIGNED and _is_number(value):
            inner = _spelled(value, frame, depth + 1)
            spelled = re.sub(
                rf"(?<![\w.]){re.escape(name)}\b",
                lambda _, inner=inner: f"({inner})",  # type: ignore[misc]
                spelled,
            )
    return spelled


def _is_number(value: ast.expr) -> bool:
    """Tell whether a value is computed from others: `len(loader)` says more than what it is of."""
    return not isinstance(value, ast.Call) or last_name(value.func) in COMPUTING


def _paths(node: ast.expr) -> set[str]:
    """Return the names and dotted names in an expression."""
    found = (dotted(item) for item in walk(node) if isinstance(item, ast.Name | ast.Attribute))
    return {path for path in found if path is not None}


def _assigned(name: str, frame: CallFrame) -> list[Binding]:
    """Return where a name gets its value; an attribute of `self` may get it in any method."""
    owner, (first, _, attr) = frame.function.owner, name.partition(".")
    if owner is None or first != frame.function.self_name or not attr:
        return frame.function.scope.bindings.get(name, [])
    return [item for _, items in owner.assignments(attr) for item in items]


def _draft(case: Case, verdict: Verdict, event: SourceEvent, window: AbstractWindow) -> Draft:
    message = (
        f"`{text(event.node)}` advances at each micro-batch, "
        f"`{text(window.step.node)}` only once a window"
    )
    help_ = f"call it right after `{text(window.step.node)}`"
    return Draft(
        verdict,
        spot(event),
        message,
        _gated_help(case, event, window) if window.gated else help_,
        [
            ("deposited here", spot(window.deposit)),
            ("spent here", spot(window.step)),
            *callers(event),
        ],
        (event, window.step),
        window.at,
    )


def _gated_help(case: Case, event: SourceEvent, window: AbstractWindow) -> str:
    if _is_let_go(case, event, window):
        return "call it under `if accelerator.sync_gradients:`"
    return "give it to `accelerator.prepare`"
