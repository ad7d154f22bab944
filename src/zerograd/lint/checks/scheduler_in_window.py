"""ZG207: a scheduler that advances at each micro-batch while the optimizer steps once a window."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import accumulation
from zerograd.lint.checks.evidence.case import Case, Draft, callers, spot
from zerograd.lint.checks.evidence.windows import AbstractWindow, each_micro_batch, windows
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import last_name, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.values.value import CallFrame

PREPARED = re.compile(r"(?:prepare|setup)\w{0,200}+\(([^()]*+)\)")
"""What `accelerator.prepare(...)`, or a helper named after it, is given."""

RUN = re.compile(r"\A[^*]*+\*.*epoch|\A(?=[^*]*+\*).*?epochs?\b[^*]*+\*")
"""A product with the number of epochs: something that is counted over the whole run.

`epoch` behind the first `*`, or before one. Both begin at the text's beginning: a search that
began at each `epoch` anew would take quadratic time on a long line of them."""


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
                at_each_deposit=several and _at_each_deposit(event, window),
                counted_in_batches=several and _counts_batches(event, window),
            )
            if verdict is not None:
                told.add(id(event.node))
                yield _draft(verdict, event, window)


def _at_each_deposit(event: SourceEvent, window: AbstractWindow) -> bool:
    return _unprepared(event, window) if window.gated else each_micro_batch(event, window)


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


def _unprepared(event: SourceEvent, window: AbstractWindow) -> bool:
    """Accelerate holds back what `prepare` was given; a scheduler that it was not given runs on."""
    module = event.frame.function.module
    call = event.node
    if module is not window.step.frame.function.module or not isinstance(call, ast.Call):
        return False
    if not _beside(event, window.step):
        return False
    name = last_name(call.func.value) if isinstance(call.func, ast.Attribute) else None
    given = PREPARED.findall(module.source.text)
    holders = [item for item in given if re.search(r"optim", item)]
    return bool(holders) and name is not None and not any(name in item for item in given)


def _beside(event: SourceEvent, step: SourceEvent) -> bool:
    """Tell whether nothing but what decides about the step decides about the schedule."""
    return [(item.node, item.place) for item in event.context] == [
        (item.node, item.place) for item in step.context
    ]


def _counts_batches(event: SourceEvent, window: AbstractWindow) -> bool:
    """`T_max=len(loader) * epochs`: whether the schedule's length is in micro-batches."""
    made = event.targets[0] if event.targets else None
    if made is None or made.site is None or made.frame is None:
        return False
    given = (*made.site.args[1:], *(item.value for item in made.site.keywords))
    lengths = [_spelled(node, made.frame) for node in given]
    divisors = [
        text(node.right)
        for node in walk(window.test or made.site)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
    ]
    return any(
        RUN.search(length) and not any(divisor in length for divisor in divisors)
        for length in lengths
    )


def _spelled(node: ast.expr, frame: CallFrame) -> str:
    """Return what an argument was computed from, if a name stands for it."""
    found = frame.function.scope.bindings.get(text(node), ())
    return text(found[-1].value) if found and found[-1].value is not None else text(node)


def _draft(verdict: Verdict, event: SourceEvent, window: AbstractWindow) -> Draft:
    message = (
        f"`{text(event.node)}` advances at each micro-batch, "
        f"`{text(window.step.node)}` only once a window"
    )
    help_ = f"call it right after `{text(window.step.node)}`"
    return Draft(
        verdict,
        spot(event),
        message,
        "give it to `accelerator.prepare`" if window.gated else help_,
        [
            ("deposited here", spot(window.deposit)),
            ("spent here", spot(window.step)),
            *callers(event),
        ],
        (event, window.step),
        window.at,
    )
