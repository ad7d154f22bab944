"""ZG208: means over whatever is not ignored or masked, divided by the window's length alone.

How many items each micro-batch has is in the data: what the source shows is a hint, and watch
counts. A sum that is divided by the items of the window is right, and so is a weighted mean.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.accumulation import is_plain, unequal_micro_batches
from zerograd.lifecycle.verdicts.verdict import Unknown, shown
from zerograd.lint.checks.evidence.case import Case, Draft, callers, spot, unsaid
from zerograd.lint.checks.evidence.counted_windows import sum_facts
from zerograd.lint.checks.evidence.divisors import Scaling, reduction, scaling_of
from zerograd.lint.checks.evidence.windows import AbstractWindow, windows
from zerograd.lint.checks.unnormalised_window import declares
from zerograd.lint.confidence import is_silent
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import keyword, last_name, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict

COUNTS = ("sum", "count_nonzero", "numel", "clamp", "clamp_min", "max", "len", "float", "int")
"""Calls from which the items of a micro-batch come: `mask.sum().clamp(min=1)`."""


def check(case: Case) -> Iterator[Draft]:
    """Windows of means over what a mask or `ignore_index` leaves."""
    for window in windows(case):
        facts = sum_facts(case, window)
        if is_plain(facts) is False:
            continue  # saves following the loss
        scaling = scaling_of(window.deposit)
        items = counted_items(case, window, scaling)
        if items is None or not _is_averaged(window, scaling, items):
            continue
        verdict = unequal_micro_batches(
            facts,
            unequal=Unknown("counts-differ"),
            different_batches=shown(
                not window.inner or declares(window) is not None, "window-declared"
            ),
            per_task=False,
            again=True,
            slight=False,
        )
        if verdict is not None:
            silent = is_silent(verdict)
            yield (
                unsaid(verdict, window.deposit, window.at)
                if silent
                else _draft(verdict, window, items)
            )


def counted_items(case: Case, window: AbstractWindow, scaling: Scaling) -> ast.AST | None:
    """Return what shows that a loss is a mean over fewer items than its batch has."""
    if any(not isinstance(factor, ast.Constant) for factor in scaling.factors[1::2]):
        return None  # `loss * count`: whoever weighs may weigh rightly
    counted = [divisor for divisor in scaling.divisors if _counts(divisor, window)]
    summed = any(_is_sum(term) for term in scaling.terms)
    if counted and summed:
        return counted[-1]
    if reduction(scaling, window.deposit, case.resolver) != "mean":
        return None
    return next(
        (
            ignored
            for term in scaling.terms
            for call in walk(term)
            if isinstance(call, ast.Call) and (ignored := _ignored(case, window, call)) is not None
        ),
        None,
    )


def _counts(divisor: ast.expr, window: AbstractWindow) -> bool:
    """Tell whether a divisor counts the items of one micro-batch, and not those of the window."""
    if isinstance(divisor, ast.Name):
        bound = window.deposit.frame.function.scope.bindings.get(divisor.id, [])
        made = [
            item for item in bound if item.how is BindingKind.ASSIGNED and item.value is not None
        ]
        inside = [item for item in made if _is_inside(item.node, window.loop)]
        return len(inside) == len(bound) == 1 and _is_count(inside[0].value)
    return _is_count(divisor)


def _is_inside(node: ast.AST, loop: ast.AST | None) -> bool:
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    return bool(first < getattr(node, "lineno", 0) <= last)


def _is_count(node: ast.expr | None) -> bool:
    calls = (
        [last_name(item.func) for item in walk(node) if isinstance(item, ast.Call)] if node else []
    )
    return "sum" in calls and all(name in COUNTS for name in calls)


def _is_sum(term: ast.expr) -> bool:
    return isinstance(term, ast.Call) and last_name(term.func) == "sum"


def _ignored(case: Case, window: AbstractWindow, call: ast.Call) -> ast.AST | None:
    """Return the `ignore_index` that a loss was called or built with."""
    given = keyword(call, "ignore_index")
    if given is not None:
        return given
    value = case.resolver.value(call.func, window.deposit.frame)
    if value is None or value.site is None or not (value.maker or "").endswith("Loss"):
        return None
    return keyword(value.site, "ignore_index")


def _is_averaged(window: AbstractWindow, scaling: Scaling, items: ast.AST) -> bool:
    """Tell whether the window's length divides, besides what counts the items."""
    others = [divisor for divisor in scaling.divisors if divisor is not items]
    return bool(others) or window.deposit.divides or window.gated


def _draft(verdict: Verdict, window: AbstractWindow, items: ast.AST) -> Draft:
    spelled = text(items)
    what = (
        f"what `{spelled}` counts" if isinstance(items, ast.Call) else "labels that are not ignored"
    )
    message = (
        f"`{text(window.deposit.node)}` weighs micro-batches alike; each is a mean over {what}, "
        "which may be more or fewer"
    )
    return Draft(
        verdict,
        spot(window.deposit),
        message,
        "divide sums by the items of the whole window; `zerograd watch` counts them and measures "
        "the damage",
        [("spent here", spot(window.step)), *callers(window.deposit)],
        (window.deposit, window.step),
        window.at,
    )
