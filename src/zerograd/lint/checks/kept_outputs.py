"""ZG602: an evaluation with gradients on, which keeps what the model returned, buffers included."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.graph import kept_graph
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, loops_around, spot
from zerograd.lint.checks.evidence.unseen_loops import QUIET_BASES
from zerograd.lint.checks.kept_graph import GROWS, is_deposited, is_reset, keeps_all
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.interpret.origins import QUIET, is_bare, quiet_line
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Function, statements
from zerograd.lint.program.syntax import last_name, text, walk
from zerograd.lint.values import call_frames
from zerograd.source.names import has_word, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.program.module import Class
    from zerograd.lint.values.value import CallFrame

EVALUATING = frozenset(
    {"val", "valid", "validate", "validation", "eval", "evaluate", "evaluation", "test", "predict"}
    | {"inference", "testing", "dev"}
)
"""Words of functions that only look at a model."""

GRADIENTS = frozenset({"grad", "gradient", "gradients", "backward", "adapt", "inner", "attack"})
"""Words of calls that an evaluation needs its gradients for."""

SWITCHES = ("set_grad_enabled", "inference_mode", "enable_grad")
"""A file with one of these turns gradients on and off in ways that are not followed here."""


def check(case: Case) -> Iterator[Draft]:
    """Look at loops that run a trained model with gradients on, and keep what comes out."""
    seen: set[int] = set()
    for event in case.plan.events:
        if event.effect is not CallEffect.DEPOSIT or not any(
            item.atoms for item in case.plan.holders
        ):
            continue
        frame: CallFrame | None = event.frame
        while frame is not None:
            if id(frame) not in seen and not _switches(frame):
                yield from _evaluations_in(case, event, frame)
                yield from _evaluations_called(case, event, frame)
            seen.add(id(frame))
            frame = frame.caller
        owner = event.frame.function.owner
        if owner is not None and id(owner) not in seen and not _switches(event.frame):
            seen.add(id(owner))
            yield from _evaluations_beside(case, event, owner)


def _switches(frame: CallFrame) -> bool:
    return any(frame.function.module.mentions(word) for word in SWITCHES)


def _evaluations_called(case: Case, event: SourceEvent, frame: CallFrame) -> Iterator[Draft]:
    """`validate(model, loader)` beside the training: entered, because nothing in it is an event."""
    for call in _calls_to_evaluate(frame):
        if quiet_line(call.lineno, frame):
            continue
        value = case.resolver.value(call.func, frame)
        target = case.resolver.definition(call.func, frame) or (value and value.target)
        if not isinstance(target, Function) or target.decorators:
            continue
        inside = call_frames.called(target, call, frame, value.wraps if value else None)
        if not case.relevance.eventful(target) and not _switches(inside):
            yield from _evaluations_in(case, event, inside)


def _evaluations_beside(case: Case, event: SourceEvent, owner: Class) -> Iterator[Draft]:
    """`def validate(self)` beside `def train(self)`, whoever calls it: the class has one model.

    A framework runs the methods of its own classes as it likes, most of them under `no_grad`.
    """
    if event.frame.receiver is None or _is_run_quietly(case, owner):
        return
    for method in owner.methods.values():
        named = EVALUATING.intersection(words(method.last_name))
        if named and not method.decorators and not case.relevance.eventful(method):
            inside = call_frames.of_method(method, event.frame.receiver, case.resolver)
            yield from _evaluations_in(case, event, inside)


def _is_run_quietly(case: Case, owner: Class) -> bool:
    """Tell whether somebody may turn gradients off around the methods of a class."""
    bases = call_frames.outside_bases(owner, case.resolver)
    others = map(case.resolver.project.at, case.resolver.project.importers(owner.module.key))
    around = [owner.module, *(module for module in others if module is not None)]
    return bool({base.rpartition(".")[2] for base in bases} - QUIET_BASES) or any(
        module.mentions(word) for module in around for word in QUIET
    )


def _calls_to_evaluate(frame: CallFrame) -> Iterator[ast.Call]:
    """Yield the calls of a function whose names say that they only look at a model."""
    module = frame.function.module
    known = {name.rpartition(".")[2] for name in module.functions} | module.imports.keys()
    if not any(EVALUATING.intersection(words(name)) for name in known):
        return
    for stmt in statements(getattr(frame.function.node, "body", [])):
        value = getattr(stmt, "value", None)
        for node in walk(value) if isinstance(value, ast.expr) else ():
            if isinstance(node, ast.Call):
                name = last_name(node.func) or ""
                if name in known and EVALUATING.intersection(words(name)):
                    yield node


def _evaluations_in(case: Case, event: SourceEvent, frame: CallFrame) -> Iterator[Draft]:
    body = getattr(frame.function.node, "body", [])
    trained = {id(loop) for item in case.plan.events for loop in loops_around(item)}
    done = 0
    for loop in statements(body):
        if not isinstance(loop, ast.For) or quiet_line(loop.lineno, frame) or id(loop) in trained:
            continue
        if loop.lineno <= done:
            continue  # within one that was looked at: its lists may live for one round of that
        done = loop.end_lineno or loop.lineno
        if _needs_gradients(loop) or _feeds_a_deposit(case, frame, loop):
            continue
        if _evaluates(frame.function, loop):
            yield from _kept_outputs(case, event, frame, loop)


def _evaluates(function: Function, loop: ast.For) -> bool:
    """Tell whether a loop stands after `model.eval()`, or in a function that is named so."""
    if EVALUATING.intersection(words(function.last_name)):
        return True
    turned = [
        (stmt.lineno, stmt.value.func.attr, text(stmt.value.func.value))
        for stmt in statements(getattr(function.node, "body", []))
        if isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Call)
        and isinstance(stmt.value.func, ast.Attribute)
        and stmt.value.func.attr in ("eval", "train")
        and stmt.lineno <= loop.lineno
    ]
    called = {text(node.func) for node in walk(loop) if isinstance(node, ast.Call)}
    own = [item for item in turned if item[2] in called]
    # `teacher.eval()` says nothing of the student that the loop calls.
    return bool(turned) and max(own or turned)[1] == "eval"


def _feeds_a_deposit(case: Case, frame: CallFrame, loop: ast.For) -> bool:
    """Tell whether a backward of the same round follows: the loop collects a loss's parts."""
    return any(
        (around := loops_around(event))
        and loop in walk(around[-1])
        and loop.lineno < getattr(event.node, "lineno", 0)
        and _innermost(around[-1], loop)
        for event in case.plan.events
        if event.effect is CallEffect.DEPOSIT and event.frame is frame
    )


def _innermost(around: ast.AST, loop: ast.For) -> bool:
    """Tell whether no further loop lies between one and another."""
    return not any(
        isinstance(node, ast.For | ast.While)
        and node is not loop
        and node is not around
        and loop in walk(node)
        for node in walk(around)
    )


def _needs_gradients(loop: ast.For) -> bool:
    """Tell whether an evaluation adapts or attacks: it cannot run under `no_grad`."""
    return any(
        isinstance(node, ast.Call) and not GRADIENTS.isdisjoint(words(last_name(node.func) or ""))
        for node in walk(loop)
    )


def _kept_outputs(
    case: Case, event: SourceEvent, frame: CallFrame, loop: ast.For
) -> Iterator[Draft]:
    for node, kept in _kept_values(loop):
        if quiet_line(getattr(node, "lineno", 0), frame):
            continue
        if isinstance(kept, ast.Name) and not _is_made_in(frame, kept.id, loop, node):
            continue
        if isinstance(kept, ast.Call) and not (
            _runs_a_module(case, kept, frame) or _is_loss(case, kept, frame)
        ):
            continue
        asked = SourceEvent(CallEffect.DEPOSIT, kept, frame, loss=kept)
        reached = reach_of(asked, case.plan, case.resolver)
        if not reached.surely or reached.stopped is not None:
            continue
        if (reached.opaque or reached.unread) and not has_word(text(kept), ("loss",)):
            # `accuracy(y, out)` of a file that was not read: a number, for all that is known.
            continue
        if _is_kept(node, frame, loop) and not _is_of_a_loss(node, case):
            message = f"`{text(node)}` keeps the graph of every `{text(kept)}` alive"
            help_ = "evaluate under `torch.no_grad()`"
            verdict = kept_graph(graphs_stay_alive=True)
            if verdict is not None:
                place = Spot(node, frame.function.module)
                seen = [("deposited here", spot(event))]
                yield Draft(verdict, place, message, help_, seen, (event,))


def _is_of_a_loss(node: ast.AST, case: Case) -> bool:
    """Tell whether a sum is itself deposited: a loop over the terms of a loss evaluates nothing."""
    return isinstance(node, ast.AugAssign) and is_deposited(last_name(node.target) or "", case)


def _is_kept(node: ast.AST, frame: CallFrame, loop: ast.For) -> bool:
    """Tell whether a statement puts a value where it outlives the loop's round."""
    if isinstance(node, ast.AugAssign):
        total = last_name(node.target) or ""
        found = frame.function.scope.bindings.get(total, [])
        return bool(found) and not is_reset(found, loop)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return keeps_all(node.func.value, frame, loop)
    return False


def _kept_values(loop: ast.For) -> Iterator[tuple[ast.AST, ast.Name | ast.Call]]:
    """Yield what each statement of a loop keeps: names, and what calls return."""
    for node in walk(loop):
        value: ast.expr | None = None
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            value = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            value = node.args[0] if node.func.attr in GROWS and len(node.args) == 1 else None
        for part in _factors(value):
            if isinstance(part, ast.Name | ast.Call):
                yield node, part


def _factors(value: ast.expr | None) -> Iterator[ast.expr]:
    """`criterion(out, y) * len(x)`, `len(x) * criterion(out, y)`."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult | ast.Div):
        yield from _factors(value.left)
        yield from _factors(value.right)
    elif value is not None:
        yield value


def _is_made_in(frame: CallFrame, name: str, loop: ast.For, node: ast.AST) -> bool:
    """Tell whether a name gets its value in the loop, before the statement that keeps it.

    One of several results of a model may be a number: `out, ratio = model(x)`.
    """
    last = getattr(node, "lineno", 0)
    made = [
        item
        for item in frame.function.scope.bindings.get(name, ())
        if loop.lineno <= item.node.lineno <= last
    ]
    return bool(made) and not any(item.index for item in made)


def _runs_a_module(case: Case, call: ast.Call, frame: CallFrame) -> bool:
    """Tell whether a call is one of a trained module, not of a function that is given one."""
    value = case.resolver.value(call.func, frame)
    held = {atom for holder in case.plan.holders for atom in holder.atoms or ()}
    return value is not None and bool(value.key) and value.key in held


def _is_loss(case: Case, call: ast.Call, frame: CallFrame) -> bool:
    """`F.cross_entropy(out, y)`, `criterion(out, y)`: whether torch itself computes a loss."""
    name = case.resolver.origin(call.func, frame) or ""
    value = case.resolver.value(call.func, frame)
    return name.startswith("torch.nn.functional.") or (value is not None and is_bare(value))
