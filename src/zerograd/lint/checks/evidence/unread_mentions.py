"""What a function mentions and no event was read from: it may be the very thing that is missing.

`gen.apply(reset)`, `clear = opt.zero_grad`, `[s.update() for s in scalers]`, `both.zero_grad()` of
`both = ModuleList(nets)`: a clear, a backward and an update have many spellings. Where one stands
that was not understood, none is surely missing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import children, is_constant, last_name, walk
from zerograd.lint.values.value import ValueKind
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zerograd.lint.checks.evidence.case import Case, Draft
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.values.value import CallFrame, Value

WORDS: Mapping[str, str] = {
    "missing-zero": "zero_grad",
    "step-without-backward": "backward",
    "clip-before-unscale": "unscale_",
    "scaler-not-updated": "update",
    "scaled-step": "scale",
}
"""The method that a rule misses."""

COMMON = frozenset({"update", "scale"})
"""Names of methods that many other objects have: only a scaler's are looked at."""

COMBINED = frozenset({"ModuleList", "ModuleDict", "Sequential"})
"""What makes one module of several."""


def understood(case: Case, draft: Draft) -> bool:
    """Tell whether every mention of what a rule misses was read, in the functions of a root."""
    word = WORDS[draft.rule]
    read = {id(event.node) for event in case.plan.events}
    frames = {id(event.frame): event.frame for event in case.plan.events}.values()
    run = {id(frame.function) for frame in frames}
    if any(id(node) not in read for frame in frames for node in _mentions(word, case, frame, run)):
        return False
    return draft.rule != "missing-zero" or not any(
        _is_of_anything(case, event)
        for event in case.plan.events
        if event.effect is CallEffect.CLEAR and not event.must and not event.may
    )


def _mentions(word: str, case: Case, frame: CallFrame, run: set[int]) -> Iterator[ast.AST]:
    """Yield what names a method in a function, as the node that an event would stand on.

    Calls that are named so; `opt.zero_grad` without a call; `"zero_grad"` for `getattr`; a function
    with such a call that is handed on.
    """
    own = list(_own(frame.function.node))
    called = {id(item.func): item for item in own if isinstance(item, ast.Call)}
    idle = {id(item.value) for item in own if isinstance(item, ast.Expr)}
    for item in own:
        if isinstance(item, ast.Attribute) and item.attr == word:
            if id(item) in idle:
                continue  # `optimizer.zero_grad` alone on its line, its parentheses forgotten
            if word == "scale" and id(item) in called:
                continue  # part of the deposit that it scales
            if word not in COMMON or _may_be_scaler(item.value, frame):
                yield called.get(id(item), item)
        elif word not in COMMON and is_constant(item, word):
            yield item
        elif isinstance(item, ast.Call):
            yield from (given for given in item.args if _hands_on(word, case, given, frame, run))


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """Yield what a function is made of, lambdas included, and not what it defines."""
    todo = list(children(function))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            todo.extend(children(node))


def _may_be_scaler(node: ast.expr, frame: CallFrame) -> bool:
    """`self.scaler`, and `s` of `for s in scalers`."""
    if has_word(last_name(node) or "", ("scaler",)):
        return True
    if not isinstance(node, ast.Name):
        return False
    found = frame.function.scope.bindings.get(node.id, ())
    return any(item.how is BindingKind.ITERATED for item in found) or any(
        isinstance(item, ast.comprehension) and last_name(item.target) == node.id
        for item in walk(frame.function.node)
    )


def _hands_on(word: str, case: Case, given: ast.expr, frame: CallFrame, run: set[int]) -> bool:
    """`net.apply(reset)`: whether an argument is a function that clears, and was not run here."""
    if not isinstance(given, ast.Name | ast.Attribute) or word in COMMON:
        return False
    target = case.resolver.definition(given, frame)
    if not isinstance(target, Function) or id(target) in run:
        return False
    return any(
        isinstance(item, ast.Attribute)
        and (item.attr == word or (item.attr == "grad" and not isinstance(item.ctx, ast.Load)))
        for item in walk(target.node)
    )


def _is_of_anything(case: Case, event: SourceEvent) -> bool:
    """Tell whether what is cleared may be anything, though it has a name of its own."""
    if event.targets or not isinstance(event.node, ast.Call):
        return event.manual and not event.targets
    func = event.node.func
    value = (
        case.resolver.value(func.value, event.frame) if isinstance(func, ast.Attribute) else None
    )
    if value is None or value.kind is ValueKind.OTHER:
        return value is None or value.site is not None or _is_returned(value, event.frame)
    return (value.maker or "").rpartition(".")[2] in COMBINED


def _is_returned(value: Value, frame: CallFrame) -> bool:
    """`raw = unwrap(net)`: whether a name takes what a call returns that was not read."""
    return any(
        isinstance(item.value, ast.Call)
        for item in frame.function.scope.bindings.get(value.key[-1] if value.key else "", ())
    )
