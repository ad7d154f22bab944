"""ZG602: sums, lists, slots and meters that keep the losses of a training loop, graphs included.

A loss whose backward ran cannot be differentiated again: whatever grows by it at each round keeps
graphs for nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.graph import kept_graph
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, loops_around, spot
from zerograd.lint.checks.evidence.graph_carriers import (
    CarryingLoop,
    carrying_loops,
    is_renewed,
)
from zerograd.lint.checks.evidence.loss_terms import dicts_in, terms_of
from zerograd.lint.interpret.loss_receivers import (
    ARITHMETIC,
    brought,
    carried,
    deposited,
    deposited_name,
    handed_on,
    handed_to,
    keywords_of,
)
from zerograd.lint.interpret.origins import leaves_after, quiet_line
from zerograd.lint.interpret.returned_graphs import argument_kept, is_quiet, names_within
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import dotted, last_name, root_name, text, walk
from zerograd.lint.values.value import CallFrame
from zerograd.record import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.loss_receivers import KeptBy
    from zerograd.lint.program.module import Function
    from zerograd.lint.program.scope import Binding

GROWS = frozenset({"append", "add", "insert", "appendleft", "extend"})
SHRINKS = frozenset({"pop", "popleft", "popitem", "clear", "remove"})
JOINS = frozenset({"cat", "concat", "hstack"})
LISTS = frozenset({"list", "dict", "defaultdict", "OrderedDict", "set", "zeros", "empty", "ones"})
"""What a container that keeps everything is made by."""

STARTS = frozenset({"zeros", "tensor", "FloatTensor", "Tensor"})
"""What makes a total that is a tensor from the start."""


def check(case: Case) -> Iterator[Draft]:
    """Look for what keeps the losses of each deposit."""
    told: set[int] = set()
    for event in case.plan.events:
        if event.effect is CallEffect.DEPOSIT and not event.creates:
            for draft in _of_deposit(case, event):
                if id(draft.spot.node) not in told:
                    told.add(id(draft.spot.node))
                    yield draft


def _of_deposit(case: Case, event: SourceEvent) -> Iterator[Draft]:
    loss = deposited(event.loss)
    if loss is None or not (loops_around(event) or case.repeated or case.unseen):
        return
    parts = terms_of(case, event, text(loss))
    told: set[str] = set()
    for held in carrying_loops(event, parts):
        held = replace(held, whole=held.whole | _packed(held, loss))
        if not _steps_inside(case, held):
            continue
        for node in walk(held.loop):
            if held.inner[0] <= getattr(node, "lineno", 0) <= held.inner[1]:
                continue
            for draft in _summed(case, event, held, node, told):
                # What takes this sum has numbers as soon as this one has.
                told.add(last_name(getattr(node, "target", node)) or "")
                yield draft
            yield from _grown(case, event, held, node)
            if isinstance(node, ast.Call):
                yield from _metered(case, event, held, node)


def _packed(held: CarryingLoop, loss: ast.expr) -> set[str]:
    """Return the dicts of a round that have the graph in them.

    `logs = {"loss": loss}`, and `losses` where `sum(losses.values())` is the loss.
    """
    bound = held.frame.function.scope.bindings
    first, last = getattr(held.loop, "lineno", 0), getattr(held.loop, "end_lineno", 0)
    summed = {
        text(item)
        for binding in bound.get(text(loss), ())
        if binding.value is not None
        for item in dicts_in(binding.value)
    }
    return {
        name
        for name, found in bound.items()
        if "." not in name
        and all(
            item.how is BindingKind.ASSIGNED
            and first <= item.node.lineno <= last
            and (name in summed or _is_dict_of(item, held))
            for item in found
        )
    }


def _is_dict_of(binding: Binding, held: CarryingLoop) -> bool:
    """Tell whether a dict is made of the loss, while that is still what was deposited.

    `logs = {"loss": loss}`, `logs = dict(loss=loss)`.
    """
    value = binding.value
    if isinstance(value, ast.Dict):
        inside: list[ast.expr] = value.values
    elif isinstance(value, ast.Call) and last_name(value.func) == "dict":
        inside = [item.value for item in value.keywords]
    else:
        return False
    line = binding.node.lineno
    names = filter(None, (brought(item, held.names) for item in inside))
    return any(not is_renewed(name, held.frame, held.since, line) for name in names)


def _is_one_round(held: CarryingLoop) -> bool:
    """Tell whether the rounds are calls of a function."""
    return isinstance(held.loop, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module)


def _steps_inside(case: Case, held: CarryingLoop) -> bool:
    """Tell whether a round holds a step: without one the sum lives for a window only."""
    return any(
        held.loop in loops_around(event)
        or (_is_one_round(held) and held.frame.function.name and event.frame is held.frame)
        for event in case.plan.events
        if event.effect in (CallEffect.STEP, CallEffect.UNKNOWN)
    )


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


def _summed(
    case: Case, event: SourceEvent, held: CarryingLoop, node: ast.AST, told: set[str]
) -> Iterator[Draft]:
    """`total += loss`, `self.total = self.total + loss * n`."""
    found = sums(node, held.names, _kept_by(case, held))
    if found is None or found[1] in told:
        return
    target, name = found
    total = last_name(target)
    if total is None:
        return
    kept = (
        _is_kept_by_self(node, held.frame.function)
        if _is_one_round(held)
        else _outlives(target, held)
    )
    if not kept or is_deposited(total, case) or _is_another(held, node, name):
        return
    message = f"`{text(node)}` keeps the graph of every `{name}` alive"
    spelled = text(target) if isinstance(target, ast.Subscript) else total
    help_ = f"add a number: `{spelled} += {name}.item()`"
    yield _draft(node, held.frame.function, message, help_, event)


def _kept_by(case: Case, held: CarryingLoop) -> KeptBy:
    """Return what tells which argument's graph a call in a loop keeps."""
    return lambda call: argument_kept(call, held.frame, case.resolver)


def sums(
    node: ast.AST, names: frozenset[str], kept_by: KeptBy | None = None
) -> tuple[ast.expr, str] | None:
    """Return the running total that a statement adds a loss to, with its graph, and the loss."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        name = carried(node.value, names, kept_by)
        return None if name is None else (node.target, name)
    if not isinstance(node, ast.Assign):
        return None
    target, value = node.targets[0], node.value
    # `mean = loss if mean is None else 0.9 * mean + 0.1 * loss`
    for side in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
        addends = list(_addends(side))
        if len(addends) > 1 and text(target) in {_spelled(item) for item in addends}:
            others = [item for item in addends if _spelled(item) != text(target)]
            name = next(filter(None, (carried(item, names, kept_by) for item in others)), None)
            if name is not None:
                return target, name
    return None


def _spelled(node: ast.expr) -> str:
    """Return an addend as a target is spelled: `sums[key]` of `sums.get(key, 0)`."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get"
        and node.args
    ):
        return f"{text(node.func.value)}[{text(node.args[0])}]"
    return text(node)


def _addends(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what arithmetic puts together: `(total * n + loss) / k` of four names.

    `torch.cat([losses, loss.view(1)])` puts two together as well.
    """
    if isinstance(node, ast.Call) and last_name(node.func) in JOINS and node.args:
        yield from getattr(node.args[0], "elts", [node])
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
        yield from _addends(node.left)
        yield from _addends(node.right)
    else:
        yield node


def _outlives(target: ast.expr, held: CarryingLoop) -> bool:
    """Tell whether a total starts before the loop, or once in it, and is not set anew inside it."""
    while isinstance(target, ast.Subscript):
        target = target.value
    total = dotted(target)
    if total is None:
        return False
    function = held.frame.function
    bound = function.scope.bindings.get(total, [])
    plain = [item for item in bound if item.how is BindingKind.ASSIGNED]
    first, last = getattr(held.loop, "lineno", 0), getattr(held.loop, "end_lineno", 0)
    starts = [
        item for item in plain if _is_start(item.value) and not first <= item.node.lineno <= last
    ]
    if "." in total and not starts:
        starts = _starts_of_object(total, function)
    if not starts:
        # `if i == 0: total = loss`
        starts = [item for item in plain if first <= item.node.lineno <= last and _is_seldom(item)]
    return bool(starts) and not is_reset(plain, held.loop)


def _starts_of_object(total: str, function: Function) -> list[Binding]:
    """Return where `__init__` starts `self.total`, if no other method starts it anew."""
    owner, _, attr = total.rpartition(".")
    if owner != function.self_name or function.owner is None:
        return []
    found = [
        (method, item)
        for method, bindings in function.owner.assignments(attr)
        for item in bindings
        if method is not function and item.how is BindingKind.ASSIGNED
    ]
    if any(method.last_name != "__init__" for method, _ in found):
        return []
    return [item for _, item in found if _is_start(item.value)]


def _is_start(value: ast.expr | None) -> bool:
    while isinstance(value, ast.Call) and (placed := handed_on(value)) is not None:
        value = placed  # `torch.tensor(0.0).to(device)`
    if isinstance(value, ast.Call):
        return last_name(value.func) in (STARTS | LISTS) and not _numpy(value)
    return isinstance(value, ast.Constant | ast.Dict)


def is_reset(found: list[Binding], loop: ast.AST) -> bool:
    """Tell whether a loop sets a total anew: from something that is not the total itself.

    `if step % 100 == 0: total = 0` lets it grow for a hundred rounds.
    """
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    return any(
        item.how is BindingKind.ASSIGNED
        and first <= item.node.lineno <= last
        and item.value is not None
        and item.target not in {text(part) for part in walk(item.value)}
        and not _is_seldom(item)
        for item in found
    )


def _is_seldom(binding: Binding) -> bool:
    """Tell whether a test of a counter, or of the total itself, decides about an assignment.

    `if step % 100 == 0: total = 0`, `if i == 0: total = loss`, `if mean is None: mean = loss`.
    """
    for test, _ in binding.under:
        for item in walk(test):
            if isinstance(item, ast.BinOp) and isinstance(item.op, ast.Mod):
                return True
        if binding.target in {text(item) for item in walk(test)} or _is_first_round(test):
            return True
    return False


def _is_first_round(test: ast.expr) -> bool:
    """`i == 0`, `step == 1`."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.left, ast.Name | ast.Attribute)
        and isinstance(test.comparators[0], ast.Constant)
        and type(test.comparators[0].value) is int
    )


def _is_kept_by_self(node: ast.AST, method: Function) -> bool:
    """Tell whether a sum goes to an attribute that the object has from another method."""
    target = getattr(node, "target", None) or getattr(node, "targets", [None])[0]
    if method.owner is None or not isinstance(target, ast.Attribute):
        return False
    if text(target.value) != method.self_name:
        return False
    found = method.owner.assignments(target.attr)
    return any(other is not method for other, _ in found) and not any(
        binding.node is not node and binding.how is BindingKind.ASSIGNED
        for other, bindings in found
        if other is method
        for binding in bindings
    )


def _is_another(held: CarryingLoop, node: ast.AST, name: str) -> bool:
    """Tell whether it is something else: bound anew since, without a graph, or in one round."""
    last = getattr(node, "lineno", 0)
    if quiet_line(last, held.frame) or leaves_after(held.loop, node):
        return True
    found = held.frame.function.scope.bindings.get(name, ())
    packed = bool(found) and all(_is_dict_of(item, held) for item in found)
    return not packed and is_renewed(name, held.frame, held.since, last)


def is_deposited(total: str, case: Case) -> bool:
    """Tell whether a total is part of some loss itself, or made a number before it grows."""
    return any(
        "detach_" in event.frame.function.module.attributes(total)
        or total in {last_name(item) for item in walk(event.loss)}
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


def _grown(case: Case, event: SourceEvent, held: CarryingLoop, node: ast.AST) -> Iterator[Draft]:
    """`losses.append(loss)`, `log.append({"loss": loss})`, `losses[i] = loss`."""
    found = _container(node, held, _kept_by(case, held)) or _last_one(event, node)
    if found is None:
        return
    container, name = found
    if not keeps_all(container, held.frame, held.loop) or _is_another(held, node, name):
        return
    label = text(container)
    if event.retains and label != name and is_deposited(last_name(container) or label, case):
        return
    message = f"`{text(node)}` keeps the graph of every `{name}` alive"
    help_ = f"keep a number in `{label}`: `{name}.item()`"
    if name in held.whole:
        help_ = f"keep numbers in `{label}`, or `detach()` what `{name}` has"
    yield _draft(node, held.frame.function, message, help_, event)


def _container(node: ast.AST, held: CarryingLoop, kept_by: KeptBy) -> tuple[ast.expr, str] | None:
    """Return what a statement puts a loss into, with its graph, and the loss."""
    known = held.names | held.whole
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in GROWS:
            return None
        names = [name for item in node.args if (name := brought(item, known, kept_by)) is not None]
        return (_kept_in(node.func.value), names[0]) if names else None
    if isinstance(node, ast.AugAssign) and isinstance(node.value, ast.List | ast.Tuple):
        name = brought(node.value, known, kept_by)  # `losses += [loss]`
        return None if name is None else (node.target, name)
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        left, right = node.value.left, node.value.right
        if isinstance(right, ast.List) and text(left) == text(node.targets[0]):
            name = brought(right, known, kept_by)  # `losses = losses + [loss]`
            return None if name is None else (left, name)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        slot = node.targets[0]
        if isinstance(slot.slice, ast.Constant | ast.UnaryOp):
            return None
        name = brought(node.value, known, kept_by)
        return None if name is None else (slot.value, name)
    return None


def _kept_in(container: ast.expr) -> ast.expr:
    """Return what a list is kept in: `log` of `log.setdefault("loss", [])`."""
    if isinstance(container, ast.Call) and last_name(container.func) == "setdefault":
        return getattr(container.func, "value", container)
    return container


def _last_one(event: SourceEvent, node: ast.AST) -> tuple[ast.expr, str] | None:
    """`losses.append(f(x))` where `losses[-1]` is deposited."""
    loss = deposited(event.loss)
    if (
        isinstance(loss, ast.Subscript)
        and text(loss.slice) == "-1"
        and isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and text(node.func.value) == text(loss.value)
    ):
        return node.func.value, text(loss.value)
    return None


def keeps_all(container: ast.expr, frame: CallFrame, loop: ast.AST) -> bool:
    """Tell whether a container was made empty outside the loop, and nothing takes from it."""
    while isinstance(container, ast.Subscript):
        container = container.value
    name = dotted(container)
    if name is None:
        return False
    found = _bindings(name, frame)
    used = frame.function.module.attributes(name)
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    inside = {id(item.node) for item in found if first <= item.node.lineno <= last}
    return (
        bool(found)
        and not used & SHRINKS
        and all(_is_empty(item) or _is_growth(item) for item in found)
        and not any(
            id(item.node) in inside and item.how is not BindingKind.CHANGED and not _is_growth(item)
            for item in frame.function.scope.bindings.get(name, ())
        )
        and f"del {name}" not in frame.function.module.source.text
    )


def _bindings(name: str, frame: CallFrame) -> list[Binding]:
    """Return the assignments of a name in its function, or of `self.x` in its class."""
    function = frame.function
    owner, _, attr = name.rpartition(".")
    if owner and owner == function.self_name and function.owner is not None:
        return [item for _, found in function.owner.assignments(attr) for item in found]
    return list(function.scope.bindings.get(name, ()))


def _is_growth(binding: Binding) -> bool:
    """`losses = losses + [loss]`."""
    value = binding.value
    return (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Add)
        and text(value.left) == binding.target
        and isinstance(value.right, ast.List)
    )


def _is_empty(binding: Binding) -> bool:
    value = binding.value
    if binding.how is not BindingKind.ASSIGNED:
        return binding.how is BindingKind.CHANGED
    if isinstance(value, ast.Call):
        if last_name(value.func) == "deque":
            return len(value.args) <= 1 and not value.keywords  # else it has a length
        return last_name(value.func) in LISTS and _numpy(value) is False
    if isinstance(value, ast.Dict):
        return all(isinstance(item, ast.List) for item in value.values)
    return isinstance(value, ast.List | ast.ListComp | ast.DictComp)


def _numpy(call: ast.Call) -> bool:
    """Tell whether numpy made a container: its slots take no tensor with a graph."""
    return (dotted(call.func) or "").startswith(("np.", "numpy."))


def _metered(case: Case, event: SourceEvent, held: CarryingLoop, call: ast.Call) -> Iterator[Draft]:
    """`self.sum += val * n` in a meter that was given the loss itself."""
    given = [*call.args, *(item.value for item in call.keywords)]
    known, kept_by = held.names | held.whole, _kept_by(case, held)
    name = next((name for item in given if (name := brought(item, known, kept_by))), None)
    if name is None or _is_another(held, call, name) or _is_made_here(call, held):
        return
    taken = handed_to(call, name, held.frame, case.resolver)
    if taken is None or taken[0].decorators or is_quiet(taken[0]):
        return
    method, parameter = taken
    names = names_within(parameter, method)
    if name in held.whole or parameter == keywords_of(method):
        names -= {parameter}  # a dict: what it holds is kept, or nothing
    kept = next((node for node in walk(method.node) if _keeps(node, method, names, case)), None)
    if kept is not None:
        message = f"`{text(call)}` keeps the graph of every `{name}` alive"
        help_ = f"hand it a number: `{name}.item()`"
        if name in held.whole:
            help_ = f"hand it numbers, or `detach()` what `{name}` has"
        draft = _draft(call, held.frame.function, message, help_, event)
        draft.evidence.insert(0, ("kept here", Spot(kept, method.module)))
        yield draft


def _is_made_here(call: ast.Call, held: CarryingLoop) -> bool:
    """Tell whether the object that is handed the loss lives for one round only."""
    name = root_name(call.func)
    first, last = getattr(held.loop, "lineno", 0), getattr(held.loop, "end_lineno", 0)
    return any(
        item.how is BindingKind.ASSIGNED and first <= item.node.lineno <= last
        for item in held.frame.function.scope.bindings.get(name or "", ())
    )


def _keeps(node: ast.AST, method: Function, names: frozenset[str], case: Case) -> bool:
    """Tell whether a statement of a method puts its argument where the object keeps it."""
    own, frame = f"{method.self_name}.", CallFrame(method)
    if isinstance(node, ast.Call):
        func = node.func
        return (
            isinstance(func, ast.Attribute)
            and func.attr in GROWS
            and text(func.value).startswith(own)
            and any(brought(item, names) for item in node.args)
            and not SHRINKS & method.module.attributes(text(func.value))
        )
    found = sums(node, names, lambda call: argument_kept(call, frame, case.resolver))
    return found is not None and text(found[0]).startswith(own)
