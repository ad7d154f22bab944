"""ZG602 beyond `total += loss`: lists, slots and meters that keep losses, and evaluations.

A loss whose backward ran cannot be differentiated again: whatever grows by it at each round keeps
graphs for nothing. An evaluation with gradients on keeps whole graphs, buffers included.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.graph import kept_graph
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, loops_around, spot
from zerograd.lint.checks.graphs import carries, is_another, is_reset, stands_in, steps_inside, sums
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.interpret.meters import deposited_name, meters
from zerograd.lint.interpret.origins import leaves_after, quiet_line
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Function, statements
from zerograd.lint.program.scope import How
from zerograd.lint.program.syntax import dotted, last_name, text, walk
from zerograd.lint.values import call_frames
from zerograd.source.names import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.program.scope import Binding
    from zerograd.lint.values.value import CallFrame

GROWS = frozenset({"append", "add", "insert", "appendleft"})
SHRINKS = frozenset({"pop", "popleft", "popitem", "clear", "remove"})
LISTS = frozenset({"list", "dict", "defaultdict", "OrderedDict", "set", "zeros", "empty", "ones"})
"""What a container that keeps everything is made by."""

EVALUATING = frozenset(
    {"val", "valid", "validate", "validation", "eval", "evaluate", "evaluation", "test", "predict"}
    | {"inference", "testing", "dev"}
)
"""Words of functions that only look at a model."""

SWITCHES = ("set_grad_enabled", "inference_mode", "enable_grad")
"""A file with one of these turns gradients on and off in ways that are not followed here."""


def check(case: Case) -> Iterator[Draft]:
    """Look for what keeps the losses of each deposit, and for evaluations that keep graphs."""
    for event in case.plan.events:
        if event.effect is CallEffect.DEPOSIT and not event.retains and not event.creates:
            yield from _of_deposit(case, event)
    yield from _of_evaluations(case)


def _of_deposit(case: Case, event: SourceEvent) -> Iterator[Draft]:
    loops = loops_around(event)
    name = deposited_name(event.loss)
    if name is None or not loops or not steps_inside(case, loops[-1]):
        return
    if stands_in(event, loops[-1]):
        for node in walk(loops[-1]):
            yield from _grown(event, node, name, loops[-1])
        for part in _parts_of(case, event, name, loops[-1]):
            yield from _summed_parts(case, event, part, loops)
    for call, method, parameter in meters(event, case.resolver):
        yield from _metered(event, call, method, parameter)


def _draft(
    node: ast.AST, frame_of: Function, message: str, help_: str, event: SourceEvent
) -> Draft:
    verdict = kept_graph(graphs_stay_alive=True)
    assert verdict is not None
    return Draft(
        verdict,
        Spot(node, frame_of.module),
        message,
        help_,
        [("deposited here", spot(event))],
        (event,),
    )


def _grown(event: SourceEvent, node: ast.AST, name: str, loop: ast.AST) -> Iterator[Draft]:
    """`losses.append(loss)`, `log.append({"loss": loss})`, `losses[i] = loss`."""
    container = _container(node, name)
    if container is None or not _keeps_all(container, event.frame, loop):
        return
    if is_another(event, node, name) or leaves_after(loop, node):
        return
    label = text(container)
    message = f"`{text(node)}` keeps the graph of every `{name}` alive"
    yield _draft(
        node, event.frame.function, message, f"keep a number in `{label}`: `{name}.item()`", event
    )


def _container(node: ast.AST, name: str) -> ast.expr | None:
    """Return what a statement puts a loss into, with its graph."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        grows = node.func.attr in GROWS and any(_brings(item, name) for item in node.args)
        return node.func.value if grows else None
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        slot = node.targets[0]
        fixed = isinstance(slot.slice, ast.Constant | ast.UnaryOp)
        return None if fixed or not _brings(node.value, name) else slot.value
    return None


def _brings(node: ast.expr, name: str) -> bool:
    """Tell whether an expression is the loss, or a literal with the loss in it."""
    if isinstance(node, ast.Dict):
        return any(_brings(item, name) for item in node.values)
    if isinstance(node, ast.List | ast.Tuple):
        return any(_brings(item, name) for item in node.elts)
    return carries(node, name)


def _keeps_all(container: ast.expr, frame: CallFrame, loop: ast.AST) -> bool:
    """Tell whether a container was made empty outside the loop, and nothing takes from it."""
    while isinstance(container, ast.Subscript):
        container = container.value
    name = dotted(container)
    if name is None:
        return False
    found = _bindings(name, frame)
    used = frame.function.module.attributes(name)
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    return (
        bool(found)
        and not used & SHRINKS
        and all(_is_empty(item) for item in found)
        and not any(first <= item.node.lineno <= last for item in found)
        and f"del {name}" not in frame.function.module.source.text
    )


def _bindings(name: str, frame: CallFrame) -> list[Binding]:
    """Return the assignments of a name in its function, or of `self.x` in its class."""
    function = frame.function
    owner, _, attr = name.rpartition(".")
    if owner and owner == function.self_name and function.owner is not None:
        return [item for _, found in function.owner.assignments(attr) for item in found]
    return list(function.scope.bindings.get(name, ()))


def _is_empty(binding: Binding) -> bool:
    value = binding.value
    if binding.how is not How.ASSIGNED:
        return binding.how is How.CHANGED
    if isinstance(value, ast.Call):
        return last_name(value.func) in LISTS and _numpy(value) is False
    if isinstance(value, ast.Dict):
        return all(isinstance(item, ast.List) for item in value.values)
    return isinstance(value, ast.List | ast.ListComp | ast.DictComp)


def _numpy(call: ast.Call) -> bool:
    """Tell whether numpy made a container: its slots take no tensor with a graph."""
    return (dotted(call.func) or "").startswith(("np.", "numpy."))


def _parts_of(case: Case, event: SourceEvent, name: str, loop: ast.AST) -> Iterator[ast.Name]:
    """Yield the addends of a loss that have graphs of their own: `loss = rec + beta * kl`."""
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    made = [
        item.value
        for item in event.frame.function.scope.bindings.get(name, ())
        if first <= item.node.lineno <= last and isinstance(item.value, ast.BinOp)
    ]
    for part in {node.id: node for value in made for node in _addends(value)}.values():
        asked = SourceEvent(CallEffect.DEPOSIT, part, event.frame, loss=part)
        reached = reach_of(asked, case.plan, case.resolver)
        if reached.atoms and reached.stopped is None and part.id != name:
            yield part


def _addends(value: ast.expr) -> Iterator[ast.Name]:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub | ast.Mult):
        yield from _addends(value.left)
        yield from _addends(value.right)
    elif isinstance(value, ast.Name):
        yield value


def _summed_parts(
    case: Case, event: SourceEvent, part: ast.Name, loops: list[ast.AST]
) -> Iterator[Draft]:
    """`rec_total += rec` beside `(rec + kl).backward()`."""
    for node in walk(loops[-1]):
        total = sums(node, part.id)
        if total is None or is_another(event, node, part.id) or leaves_after(loops[-1], node):
            continue
        starts = event.frame.function.scope.bindings.get(total, [])
        if is_reset(starts, loops[-1]) or _is_deposited(total, case):
            continue
        message = f"`{text(node)}` keeps the graph of every `{part.id}` alive"
        help_ = f"add a number: `{total} += {part.id}.item()`"
        yield _draft(node, event.frame.function, message, help_, event)


def _is_deposited(total: str, case: Case) -> bool:
    """Tell whether a total is part of some loss itself."""
    return any(
        total in {item.id for item in walk(event.loss) if isinstance(item, ast.Name)}
        or any(
            item.value is not None
            and total in {part.id for part in walk(item.value) if isinstance(part, ast.Name)}
            for item in event.frame.function.scope.bindings.get(
                deposited_name(event.loss) or "", ()
            )
        )
        for event in case.plan.events
        if event.effect is CallEffect.DEPOSIT and event.loss is not None
    )


def _metered(
    event: SourceEvent, call: ast.Call, method: Function, parameter: str
) -> Iterator[Draft]:
    """`self.sum += val * n` in a meter that was given the loss itself."""
    name = deposited_name(event.loss)
    assert name is not None
    if method.scope.bindings.get(parameter) or is_another(event, call, name):
        return
    kept = f"{method.self_name}."
    for node in walk(method.node):
        total = getattr(node, "target", None) or getattr(node, "targets", [None])[0]
        if sums(node, parameter) is None or not text(total).startswith(kept):
            continue
        message = f"`{text(node)}` keeps the graph of every `{name}` alive"
        draft = _draft(node, method, message, f"hand it a number: `{name}.item()`", event)
        draft.evidence.insert(0, ("handed over here", Spot(call, event.frame.function.module)))
        yield draft


def _of_evaluations(case: Case) -> Iterator[Draft]:
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
    for loop in statements(body):
        if not isinstance(loop, ast.For) or quiet_line(loop.lineno, frame) or id(loop) in trained:
            continue
        if _evaluates(frame.function, loop):
            yield from _kept_outputs(case, event, frame, loop)


def _evaluates(function: Function, loop: ast.For) -> bool:
    """Tell whether a loop stands after `model.eval()`, or in a function that is named so."""
    if EVALUATING.intersection(words(function.last_name)):
        return True
    turned = [
        (stmt.lineno, stmt.value.func.attr)
        for stmt in statements(getattr(function.node, "body", []))
        if isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Call)
        and isinstance(stmt.value.func, ast.Attribute)
        and stmt.value.func.attr in ("eval", "train")
        and stmt.lineno <= loop.lineno
    ]
    return bool(turned) and max(turned)[1] == "eval"


def _kept_outputs(
    case: Case, event: SourceEvent, frame: CallFrame, loop: ast.For
) -> Iterator[Draft]:
    for node in walk(loop):
        kept = _kept_value(node)
        if kept is None or quiet_line(getattr(node, "lineno", 0), frame):
            continue
        if isinstance(kept, ast.Name) and not _is_made_in(frame, kept.id, loop, node):
            continue
        if isinstance(kept, ast.Call) and not _runs_a_module(case, kept, frame):
            continue
        asked = SourceEvent(CallEffect.DEPOSIT, kept, frame, loss=kept)
        reached = reach_of(asked, case.plan, case.resolver)
        if not reached.atoms or reached.stopped is not None:
            continue
        if _is_kept(node, frame, loop):
            message = f"`{text(node)}` keeps the graph of every `{text(kept)}` alive"
            help_ = "evaluate under `torch.no_grad()`"
            yield _draft(node, frame.function, message, help_, event)


def _is_kept(node: ast.AST, frame: CallFrame, loop: ast.For) -> bool:
    """Tell whether a statement puts a value where it outlives the loop's round."""
    if isinstance(node, ast.AugAssign):
        total = last_name(node.target) or ""
        found = frame.function.scope.bindings.get(total, [])
        return bool(found) and not is_reset(found, loop)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _keeps_all(node.func.value, frame, loop)
    return False


def _kept_value(node: ast.AST) -> ast.Name | ast.Call | None:
    """Return what a statement keeps: a name, or what a call returns."""
    value: object = None
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        value = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        value = node.args[0] if node.func.attr in GROWS and len(node.args) == 1 else None
    return value if isinstance(value, ast.Name | ast.Call) else None


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
