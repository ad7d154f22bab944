"""ZG601, for a part of a loss: a term that was cut off, in a sum whose other terms train.

`loss = task + weight * aux.detach()` changes the number that is logged and no gradient. The verdict
rests on three things that the source shows: the term surely has no graph; it was computed by a
module that another term of the same sum trains; and the sum is no rewriting of a value, as
`surrogate + (value - surrogate).detach()` is.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.graph import term_without_graph
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, callers, loops_around, spot
from zerograd.lint.checks.evidence.detached_values import DetachedValues
from zerograd.lint.checks.evidence.loss_sums import LossSum, Term
from zerograd.lint.checks.evidence.term_origins import OF_A_MODULE, nets_behind
from zerograd.lint.interpret.origins import before
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import names_in, text
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import ValueKind
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

OF_A_LOSS = (
    "loss",
    "criterion",
    "crit",
    "err",
    "penalty",
    "reg",
    "kl",
    "kld",
    "bce",
    "mse",
    "norm",
)
"""Words of the names of terms that are meant to be made small: others may be an offset."""


def check(case: Case) -> Iterator[Draft]:
    """Look at every deposit of a sum."""
    for event in case.plan.events:
        if event.effect is CallEffect.DEPOSIT and event.loss is not None:
            yield from _of_a_sum(case, event, event.loss)


def _of_a_sum(case: Case, event: SourceEvent, loss: ast.expr) -> Iterator[Draft]:
    whole = LossSum(case.resolver)
    whole.take(loss, event.frame)
    if len(whole.added) < 2:
        return
    loops = loops_around(event)
    lines = (loops[-1].lineno, loops[-1].end_lineno) if loops else (0, 0)  # type: ignore[attr-defined]  # loops have lines
    values = DetachedValues(case.resolver, lines)
    reasons = [(term, _why_cut(term, values)) for term in whole.added]
    live = [term for term, reason in reasons if reason is None]
    cut = [(term, reason) for term, reason in reasons if reason and _is_of_a_loss(term)]
    if not live or not cut:
        return
    trained = frozenset[str]().union(*(nets_behind(*term, case.resolver) for term in live))
    lost = [item for item in cut if trained & nets_behind(*item[0], case.resolver)]
    kept = set[str]().union(*map(_losses_in, live))
    verdict = term_without_graph(
        cut_off=bool(lost),
        others_train=True,
        value_rewritten=any(values.of(*term, 0) for term in whole.subtracted)
        or any(kept & _losses_in(term) for term, _ in lost),
    )
    if verdict is not None:
        yield Draft(
            verdict,
            spot(event),
            f"{_listed(lost)} nothing in this sum: {lost[0][1]}",
            "let the term keep its graph, and detach only what is logged",
            [*(("added here", _spot(term)) for term, _ in lost), *callers(event)],
            (event,),
        )


def _why_cut(term: Term, values: DetachedValues) -> str | None:
    """Return why a term has no graph, weights apart: a number from the settings brings none."""
    node, frame = term
    if isinstance(node, ast.Name):
        chosen, home = values.chosen(node, frame)
        products = [item.value for item in chosen if isinstance(item.value, ast.BinOp)]
        if home is not None and len(products) == len(chosen) == 1:
            return _why_cut((products[0], home), values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for weight, other in ((node.left, node.right), (node.right, node.left)):
            if _is_setting(weight, frame, values.resolver):
                return _why_cut((other, frame), values)
    return values.of(node, frame, 0)


def _is_setting(node: ast.expr, frame: CallFrame, resolver: Resolver) -> bool:
    """Tell whether a factor is a number that was chosen, not a tensor that may be trained."""
    if isinstance(node, ast.Constant):
        return True
    if not isinstance(node, ast.Name | ast.Attribute):
        return False
    if isinstance(node, ast.Name) and bindings_of(node, frame)[0]:
        return False
    value = resolver.value(node, frame)
    tensor = value is not None and value.kind in (ValueKind.LEAF, ValueKind.PARAMETER)
    return not tensor and not _is_of_a_module(node, frame, resolver)


def _is_of_a_module(node: ast.expr, frame: CallFrame, resolver: Resolver) -> bool:
    """`model.logit_scale`: what a module has may be a parameter; `self.beta` was looked up."""
    while isinstance(node, ast.Attribute):
        node = node.value
        value = resolver.value(node, frame)
        if text(node) == frame.function.self_name:
            return False
        if value is not None and value.kind is ValueKind.MODULE:
            return True
    return not frame.function.module.attributes(text(node)).isdisjoint(OF_A_MODULE)


def _listed(lost: list[tuple[Term, str]]) -> str:
    """`kl` trains; `kl` and `rec` train."""
    names = [f"`{text(node)}`" for (node, _), _ in lost]
    return f"{', '.join(names[:-1])} and {names[-1]} train" if names[1:] else f"{names[0]} trains"


def _spot(term: Term) -> Spot:
    return Spot(term[0], term[1].function.module)


def _values(term: Term) -> list[ast.expr]:
    """Return a term, and what its names were assigned from."""
    node, frame = term
    found = [node]
    for name in (item for item in ast.walk(node) if isinstance(item, ast.Name)):
        bound, home = bindings_of(name, frame)
        if home is not None:
            found += [item.value for item in before(bound, name) if item.value is not None]
    return found


def _is_of_a_loss(term: Term) -> bool:
    return any(has_word(text(value), OF_A_LOSS) for value in _values(term))


def _losses_in(term: Term) -> set[str]:
    """Return the losses that a term is computed from; functions of that name are none."""
    return {
        name
        for value in _values(term)
        for name in names_in(value)
        - {text(item.func) for item in ast.walk(value) if isinstance(item, ast.Call)}
        if has_word(name, OF_A_LOSS)
    }
