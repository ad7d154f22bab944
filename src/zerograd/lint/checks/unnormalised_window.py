"""ZG201: several mean losses are deposited before one step, and nothing divides."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, callers, spot
from zerograd.lint.checks.divisors import Scaling, reduction, scaling_of
from zerograd.lint.checks.windows import Window, moduli, windows
from zerograd.lint.interpret.reach import reach_of
from zerograd.lint.knowledge.words import ACCUMULATION_WORDS, TASK_WORDS, has_word
from zerograd.lint.syntax import text, walk
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import Event
    from zerograd.lint.module import Function


def check(case: Case) -> Iterator[Draft]:
    """Windows that sum where an average was meant."""
    for window in windows(case):
        if not summed(case, window) or window.deposit.divides or window.gated:
            continue
        scaling = scaling_of(window.deposit)
        if scaling.divisors or _scaled_rate(window) or _divided_nearby(case, window):
            continue
        if handed_in(scaling, window.deposit):
            continue
        kind = reduction(scaling, window.deposit, case.resolver)
        declared = declares(window)
        if kind == "unknown" and window.test is not None and _length(window) == "several":
            # Nobody can tell that nothing divides by what has no name.
            continue
        if kind == "sum" or (kind == "unknown" and not declared) or scaling.factors:
            continue
        yield _draft(case, window, declared=declared)


def handed_in(scaling: Scaling, event: Event) -> bool:
    """Tell whether the loss is a parameter that nobody visible passes: it may be divided there."""
    last = scaling.terms[-1] if scaling.terms else None
    return isinstance(last, ast.Name) and last.id in event.frame.function.scope.parameters


def summed(case: Case, window: Window) -> bool:
    """Tell whether the deposit can lie at the step twice, untouched by anything else."""
    for seen in case.meetings(window.step, window.at):
        if seen.account.written:
            return False
    return any(
        item.source == window.deposit.number and item.many and item.rival < 0
        for seen in case.meetings(window.step, window.at)
        for item in seen.account.fresh
    )


def declares(window: Window) -> str | None:
    """Return the name by which the source calls the window an accumulation."""
    if window.test is not None:
        spelled = [text(node) for node, _ in moduli(window.test, window.frame)]
        return next(
            (item for item in [*spelled, text(window.test)] if has_word(item, ACCUMULATION_WORDS)),
            None,
        )
    header = _header(window)
    return header if has_word(header, ACCUMULATION_WORDS) else None


def _header(window: Window) -> str:
    loop = window.loop
    if isinstance(loop, ast.For | ast.AsyncFor):
        return f"{text(loop.target)} in {text(loop.iter)}"
    return text(loop.test) if isinstance(loop, ast.While) else ""


def _scaled_rate(window: Window) -> bool:
    """Tell whether the learning rate is divided instead of the loss."""
    source = window.deposit.frame.function.module.source.text
    names = (
        [text(node) for node, _ in moduli(window.test, window.frame)]
        if window.test is not None
        else []
    )
    return any(
        re.search(rf"\b(lr|learning_rate)\b.*/.*\b{re.escape(name)}\b", source) for name in names
    )


def _divided_nearby(case: Case, window: Window) -> bool:
    """Tell whether a function that the loss comes through divides by the window's length."""
    length = _length(window)
    if length == "several":
        return False
    calls = reach_of(window.deposit, case.plan, case.resolver).calls
    functions = {id(frame.function): frame.function for _, frame in calls}
    own = window.deposit.frame.function
    return any(_divides(function, length) for function in (own, *functions.values()))


def _divides(function: Function, length: str) -> bool:
    for node in walk(function.node):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            below = node.right if isinstance(node, ast.BinOp) else node.value
            if any(
                text(item).rpartition(".")[2] == length.rpartition(".")[2]
                for item in walk(below)
                if isinstance(item, ast.Name | ast.Attribute)
            ):
                return True
    return False


def _draft(case: Case, window: Window, *, declared: str | None) -> Draft:
    severity = Severity.WARNING
    if window.inner and (has_word(_header(window), TASK_WORDS) or not declared):
        severity = Severity.HINT
    if window.test is None and not declared:
        severity = Severity.HINT
    length = _length(window)
    message = (
        f"`{text(window.deposit.node)}` adds up {length} mean losses before "
        f"`{text(window.step.node)}`, and nothing divides"
    )
    evidence = [("spent here", spot(window.step)), *callers(window.deposit)]
    return Draft(
        "unnormalised-window",
        spot(window.deposit),
        message,
        case.severity(window.at, severity),
        f"divide at the deposit: `({_loss(window)} / {length}).backward()`",
        evidence,
        (window.deposit, window.step),
        window.at,
    )


def _length(window: Window) -> str:
    if window.test is not None:
        found = next((text(node) for node, _ in moduli(window.test, window.frame)), None)
        if found is not None:
            return found
    loop = window.loop
    if (
        isinstance(loop, ast.For)
        and isinstance(loop.iter, ast.Call)
        and text(loop.iter.func) == "range"
        and len(loop.iter.args) == 1
    ):
        return text(loop.iter.args[0])
    return "several"


def _loss(window: Window) -> str:
    return text(window.deposit.loss) if window.deposit.loss is not None else "loss"
