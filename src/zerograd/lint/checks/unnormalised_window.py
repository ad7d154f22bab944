"""ZG201: several mean losses are deposited before one step, and nothing divides."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.accumulation import is_bare, is_plain, unnormalised_window
from zerograd.lifecycle.verdicts.verdict import Unknown, both, no, shown
from zerograd.lint.checks.evidence.case import Case, Draft, callers, spot, unsaid
from zerograd.lint.checks.evidence.counted_windows import lengths, sum_facts
from zerograd.lint.checks.evidence.divisors import (
    Factor,
    Scaling,
    are_addends_divided,
    reduction,
    scaling_of,
)
from zerograd.lint.checks.evidence.windows import (
    AbstractWindow,
    made_either_way,
    moduli,
    windows,
)
from zerograd.lint.confidence import is_silent
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.knowledge.name_heuristics import ACCUMULATION_WORDS, TASK_WORDS
from zerograd.lint.program.syntax import text, walk
from zerograd.lint.values import spelling
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.program.module import Function


RATE_DIVIDED = r"\b(?:lr|learning_rate)\b[^/\n]{0,500}+/.{0,500}"
"""What stands before a name, on one line and near: a long line is not read again and again."""

AVERAGING = ("make_private", "PrivacyEngine")
"""Opacus: its optimizer divides what a step finds by the number of samples."""

MEANT_WORDS = (*ACCUMULATION_WORDS, "mean", "sum", "reduc", "average", "train")
"""Words of a test that decides about a division because of what is divided."""


def check(case: Case) -> Iterator[Draft]:
    """Windows that sum where an average was meant."""
    for window in windows(case):
        facts = sum_facts(case, window)
        if is_plain(facts) is False:
            continue  # saves following the loss
        scaling = scaling_of(window.deposit, case.resolver)
        kind = reduction(scaling, window.deposit, case.resolver)
        declared = declares(window)
        per_task = window.inner and has_word(_header(window), TASK_WORDS)
        bare = is_bare(
            facts,
            divided=_divided(case, window, scaling, kind),
            # A window by a test draws a batch each time; a loop may also run over heads of one.
            different_batches=shown(
                not window.inner or per_task or declared is not None, "window-declared"
            ),
            mean=Unknown("mean-reduced") if kind == "unknown" else kind != "sum",
            summed=kind == "sum",
            declared=declared is not None,
        )
        verdict = unnormalised_window(always_bare=bare, per_task=per_task)
        if verdict is not None:
            silent = is_silent(verdict)
            yield (
                unsaid(verdict, window.deposit, window.at)
                if silent
                else _draft(case, verdict, window)
            )


def _divided(case: Case, window: AbstractWindow, scaling: Scaling, kind: str) -> Fact:
    """Tell whether something divides the deposits by the window's length."""
    # Who divides by himself: a framework's backward, the learning rate, a helper of the loss.
    if window.deposit.divides or window.gated or _scaled_rate(case, window):
        return True
    if case.mentions(*AVERAGING):
        return True
    if times_divided(window, scaling) == 0:
        return False
    if scaling.divisors:
        by_chance = bool(scaling.divided) and all(
            _by_chance(item, window) for item in scaling.divided
        )
        return Unknown("division-is-chosen") if by_chance else True
    if are_addends_divided(scaling, window.deposit) or _divided_nearby(case, window):
        return True
    nameless = window.test is not None and _length(window) == "several"
    return no(
        both(
            shown(not handed_in(scaling, window.deposit), "not-divided-by-caller"),
            shown(not (kind == "unknown" and nameless), "divisor-would-show"),
            shown(not scaling.factors, "factor-is-no-divisor"),
            shown(not _is_given_length(case, window), "divisor-would-show"),
        )
    )


def handed_in(scaling: Scaling, event: SourceEvent) -> bool:
    """Tell whether the loss is a parameter that nobody visible passes: it may be divided there."""
    last = scaling.terms[-1] if scaling.terms else None
    return isinstance(last, ast.Name) and last.id in event.frame.function.scope.parameters


def declares(window: AbstractWindow) -> str | None:
    """Return the name by which the source calls the window an accumulation."""
    if window.test is not None:
        spelled = [text(node) for node, _ in moduli(window)]
        return next(
            (item for item in [*spelled, text(window.test)] if has_word(item, ACCUMULATION_WORDS)),
            None,
        )
    header = _header(window)
    return header if has_word(header, ACCUMULATION_WORDS) else None


def _header(window: AbstractWindow) -> str:
    loop = window.loop
    if isinstance(loop, ast.For | ast.AsyncFor):
        return f"{text(loop.target)} in {text(loop.iter)}"
    return text(loop.test) if isinstance(loop, ast.While) else ""


def times_divided(window: AbstractWindow, scaling: Scaling) -> int | None:
    """Return how often the loss is divided by the window's length, less how often multiplied.

    None where nothing on the way is spelled like the length.
    """
    spelled = lengths(window)
    signs = [(1, scaling.divided), (-1, scaling.multiplied)]
    found = [
        sign
        for sign, factors in signs
        for item in factors
        if spelling.spell(item.node, item.frame).text in spelled
    ]
    return sum(found) if found else None


def _by_chance(item: Factor, window: AbstractWindow) -> bool:
    """Tell whether a division stands under a test that has nothing to do with windows."""
    spelled = {name.rpartition("|")[2].rpartition(".")[2] for name in lengths(window)}
    return bool(item.under) and not any(
        has_word(text(test), MEANT_WORDS) or any(name in text(test) for name in spelled)
        for test, _ in item.under
    )


def _scaled_rate(case: Case, window: AbstractWindow) -> bool:
    """Tell whether the learning rate is divided instead of the loss.

    `lr / ACCUM` is looked for in the optimizer's construction, and on lines about the rate.
    """
    names = [text(node) for node, _ in moduli(window)] if window.test is not None else []
    made = case.holder(window.at).value
    sources = [window.deposit.frame.function.module.source.text]
    if made is not None and made.frame is not None:
        sources.append(made.frame.function.module.source.text)
    last = [name.rpartition(".")[2] for name in names]
    return any(
        re.search(rf"{RATE_DIVIDED}\b{re.escape(name)}\b", source)
        for name in last
        for source in sources
    )


def _divided_nearby(case: Case, window: AbstractWindow) -> bool:
    """Tell whether a function that the loss comes through divides by the window's length."""
    length = _length(window)
    if length == "several":
        return False
    calls = reach_of(window.deposit, case.plan, case.resolver).calls
    functions = {id(frame.function): frame.function for _, frame in calls}
    own = window.deposit.frame.function
    return any(_divides(function, length) for function in (own, *functions.values()))


def _is_given_length(case: Case, window: AbstractWindow) -> bool:
    """`scaled(loss, k)`: whether a call that the loss comes through gets the window's length."""
    length = _length(window)
    return any(
        text(given) == length
        for call, _ in reach_of(window.deposit, case.plan, case.resolver).calls
        for given in (*call.args[1:], *(item.value for item in call.keywords))
    )


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


def _draft(case: Case, verdict: Verdict, window: AbstractWindow) -> Draft:
    length = _length(window)
    # Divided on one side of a test alone, the window would be wrong in another way.
    twins = made_either_way(case, window.deposit)
    where = "before either backward" if twins else "at the deposit"
    message = (
        f"`{text(window.deposit.node)}` adds up {length} mean losses before "
        f"`{text(window.step.node)}`, and nothing divides"
    )
    evidence = [("spent here", spot(window.step)), *callers(window.deposit)]
    return Draft(
        verdict,
        spot(window.deposit),
        message,
        f"divide {where}: `({_loss(window)} / {length}).backward()`",
        evidence,
        () if twins else (window.deposit, window.step),
        window.at,
    )


def _length(window: AbstractWindow) -> str:
    if window.test is not None:
        found = next((text(node) for node, _ in moduli(window)), None)
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


def _loss(window: AbstractWindow) -> str:
    return text(window.deposit.loss) if window.deposit.loss is not None else "loss"
