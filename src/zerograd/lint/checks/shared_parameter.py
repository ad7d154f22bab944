"""ZG307: one deposit that two optimizers spend, or one module's parameters given twice."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.ownership import shared_parameter
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, spot
from zerograd.lint.checks.evidence.optimizers import built, hidden
from zerograd.lint.checks.evidence.unowned_sibling import left_out
from zerograd.lint.confidence import is_silent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import argument, keyword, text, walk
from zerograd.lint.values import parameter_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.program.module import Module
    from zerograd.lint.values.value import Value


def check(case: Case) -> Iterator[Draft]:
    """Find constructions that repeat a term, and pairs whose steps spend the same deposit."""
    for item in built(case):
        yield from given_twice(item.value, item.module, item.label)
    told = list(_spent_by_both(case))
    yield from told
    shown = [item for item in told if not is_silent(item.verdict)]
    yield from (item for item in left_out(case) if item.spot.node not in _nodes(shown))


def given_twice(value: Value, module: Module, label: str) -> Iterator[Draft]:
    """Judge one construction: `Adam(list(a.parameters()) + list(a.parameters()))`."""
    term = _repeated(given(value))
    verdict = shared_parameter(given_twice=term is not None)
    if verdict is not None and value.site is not None:
        yield Draft(
            verdict,
            Spot(value.site, module),
            f"`{term}` is given twice to `{label}`",
            "give the other module's parameters the second time",
        )


def _nodes(found: list[Draft]) -> list[ast.AST]:
    return [item.spot.node for item in found]


def given(value: Value) -> ast.expr | None:
    """Return what an optimizer is built over; a name is followed to its one assignment."""
    assert value.site is not None
    # `instantiate(config, params=...)` takes a configuration first.
    found = keyword(value.site, "params") or argument(value.site, 0)
    if isinstance(found, ast.Name) and value.frame is not None:
        bound = value.frame.function.scope.bindings.get(found.id, ())
        if len(bound) == 1 and bound[0].how is BindingKind.ASSIGNED and not bound[0].index:
            return bound[0].value
    return found


def _repeated(given: ast.expr | None) -> str | None:
    """Return a term `x.parameters()` that stands twice in one construction."""
    seen: set[str] = set()
    if given is None:
        return None
    for node in walk(given):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and (node.func.attr == "parameters" and not node.args)
        ):
            spelled = text(node)
            if spelled in seen and not _filtered(given):
                return spelled
            seen.add(spelled)
    return None


def _filtered(node: ast.expr) -> bool:
    """Tell whether a construction picks different parameters of one module for its groups."""
    return any(isinstance(item, ast.comprehension | ast.Lambda | ast.IfExp) for item in walk(node))


def _spent_by_both(case: Case) -> Iterator[Draft]:
    told: set[tuple[int, int]] = set()
    for seen in case.steps():
        for item in seen.account.fresh:
            if not case.owned(item.source, seen.at):
                continue
            # `for opt in both: opt.step()` spends in one go what one after the other would.
            others = (*seen.event.must, *(case.event(item.rival).must if item.rival >= 0 else ()))
            for other in others:
                pair = (min(other, seen.at), max(other, seen.at))
                if pair in told or not _overlap(case, *pair):
                    continue
                told.add(pair)
                yield from _draft(case, pair, seen.event.number, item.source)


def _overlap(case: Case, one: int, other: int) -> bool:
    first, second = case.holder(one), case.holder(other)
    if first.atoms is None or second.atoms is None or one == other:
        return False
    return parameter_sets.covers(first.atoms, second.atoms) or parameter_sets.covers(
        second.atoms, first.atoms
    )


def _end_with_calls(case: Case, pair: tuple[int, int]) -> bool:
    """Tell whether one line makes both, each for the steps of its own call: the first is gone."""
    first, second = (case.holder(at).value for at in pair)
    if first is None or second is None or first.site is not second.site:
        return False
    return all(
        value.frame is not None and event.frame is value.frame and value.frame.call is not None
        for at, value in zip(pair, (first, second), strict=True)
        for event in case.plan.events
        if event.effect is CallEffect.STEP and at in event.must
    )


def _draft(case: Case, pair: tuple[int, int], step: int, source: int) -> Iterator[Draft]:
    sites = sorted(
        (item for at in pair for item in built(case) if item.value.key == case.holder(at).key),
        key=lambda item: getattr(item.site, "lineno", 0),
    )
    verdict = shared_parameter(spent_by_both=len(sites) == 2 and not _end_with_calls(case, pair))
    if verdict is None:
        return
    first, second = sites
    # Each may pick its own of one module's parameters.
    picked = any(over is None or _filtered(over) for over in (given(item.value) for item in sites))
    # What was built first may be gone: the name takes one over other parameters before it steps.
    made = [case.holder(at).value for at in pair]
    one = not any(value is not None and value.remade for value in made)
    verdict = verdict.assuming(
        {"nothing-hidden": not hidden(case), "sets-overlap": not picked, "one-optimizer": one}
    )
    message = (
        f"`{second.label}` spends the same gradients as `{first.label}`: "
        "both hold the same parameters"
    )
    yield Draft(
        verdict,
        Spot(second.site, second.module),
        message,
        "give each optimizer its own parameters",
        [
            ("also held here", Spot(first.site, first.module)),
            ("deposited here", spot(case.event(source))),
            ("spent a second time here", spot(case.event(step))),
        ],
    )
