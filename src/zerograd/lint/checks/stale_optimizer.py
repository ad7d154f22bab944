"""ZG306: the module was replaced after its optimizer was built, or a copy of it is trained."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.ownership import stale_optimizer
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, line
from zerograd.lint.checks.evidence.optimizers import BuiltOptimizer, built
from zerograd.lint.checks.later_modules import later_modules
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import statements
from zerograd.lint.program.scope import Binding, BindingKind
from zerograd.lint.program.syntax import last_name, names_in, text, walk
from zerograd.lint.values import parameter_sets
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.values.value import CallFrame, Value

NEW = frozenset({"deepcopy", "Parameter"})


def check(case: Case) -> Iterator[Draft]:
    """Optimizers that are stepped after the module they hold got another value, or a twin."""
    for item in built(case):
        at = case.plan.index(item.value.key)
        if at is None:
            continue
        yield from _replaced_in_a_call(case, item)
        replaced = _replaced(case, item)
        copied = _copied(case, item) if replaced is None else None
        verdict = stale_optimizer(
            holds_replaced=(replaced or copied) is not None, successor_trains=True
        )
        if verdict is None:
            continue
        verdict = verdict.assuming(
            {
                "optimizer-by-name": case.holder(at).sure,
                # Something that cannot be followed may carry the copy's gradients over.
                "nothing-hidden": copied is None
                or not case.has(CallEffect.WRITE, CallEffect.UNKNOWN),
            }
        )
        if replaced is not None:
            place = replaced.node.lineno
            said = f"holds the old `{replaced.target}`: it is replaced at line {place}, after this"
            yield _draft(verdict, item, said, ("replaced here", replaced))
        elif copied is not None:
            held = text(copied.value.args[0]) if isinstance(copied.value, ast.Call) else ""
            said = f"holds `{held}`, and the loss trains `{copied.target}`, a copy of it"
            yield _draft(verdict, item, said, ("copied here", copied))


def _replaced_in_a_call(case: Case, item: BuiltOptimizer) -> Iterator[Draft]:
    """Yield modules that a helper puts in the place of others after the optimizer was built."""
    verdict = stale_optimizer(holds_replaced=True, successor_trains=True)
    for later in later_modules(case, item, _held(item)) if verdict is not None else ():
        if later.replaces and verdict is not None:
            called = text(later.call.func)
            yield Draft(
                verdict,
                Spot(item.site, item.module),
                f"`{item.label}` holds the old `{later.name}`: `{called}` replaces it after this",
                "build the optimizer after the last change of the module",
                [
                    ("called here", Spot(later.call, item.module)),
                    ("replaced here", Spot(later.binding.node, later.function.module)),
                ],
            )


def _draft(verdict: Verdict, item: BuiltOptimizer, said: str, why: tuple[str, Binding]) -> Draft:
    reason, binding = why
    return Draft(
        verdict,
        Spot(item.site, item.module),
        f"`{item.label}` {said}",
        "build the optimizer after the last change of the module",
        [(reason, Spot(binding.node, item.event.frame.function.module))],
    )


def _copied(case: Case, item: BuiltOptimizer) -> Binding | None:
    """Return where the module that every loss goes through was copied from the optimizer's."""
    if item.event.effect is not CallEffect.BUILD:
        return None
    frame, held = item.event.frame, _held(item)
    copies = [
        binding
        for found in frame.function.scope.bindings.values()
        for binding in found
        if isinstance(binding.value, ast.Call)
        and last_name(binding.value.func) == "deepcopy"
        and binding.value.args
        and text(binding.value.args[0]) in held
    ]
    reaches = [
        reach_of(event, case.plan, case.resolver)
        for event in case.plan.events
        if copies and event.effect is CallEffect.DEPOSIT
    ]
    if not reaches or item.atoms is None or not all(reach.whole for reach in reaches):
        return None
    trained = frozenset().union(*(reach.atoms or () for reach in reaches))
    if not parameter_sets.disjoint(trained, item.atoms):
        return None
    return next((one for one in copies if (frame.path, one.target) in trained), None)


def _replaced(case: Case, item: BuiltOptimizer) -> Binding | None:
    scope = item.event.frame.function.scope
    after = line(item.event)
    later = [
        line(other.event)
        for other in built(case)
        if other is not item and other.site.args and _held(other) & _held(item)
    ]
    own = case.plan.index(item.value.key)
    again = [*later, *(binding.node.lineno for binding in scope.bindings.get(item.label, ()))]
    steps = [
        line(event)
        for event in case.plan.events
        if event.effect is CallEffect.STEP and event.frame is item.event.frame and own in event.must
    ]
    if item.site.args and item.value.frame is item.event.frame:
        for binding in _slots(case, item):
            after_it = any(step > binding.node.lineno for step in steps)
            if after_it and not any(rebuilt > binding.node.lineno for rebuilt in again):
                return binding
        for name in sorted(_held(item)):
            for target, found in scope.bindings.items():
                if target != name and not target.startswith(name + "."):
                    continue
                for binding in found:
                    if (
                        binding.node.lineno > after
                        and _is_new(case, binding, name, item)
                        and not any(rebuilt > binding.node.lineno for rebuilt in again)
                        and any(step > binding.node.lineno for step in steps)
                    ):
                        return binding
    return None


def _slots(case: Case, item: BuiltOptimizer) -> Iterator[Binding]:
    """Yield the places where a slot of the optimizer's module gets a new module: `m[2] = ...`."""
    held = _held(item)
    for stmt in statements(getattr(item.event.frame.function.node, "body", [])):
        if not isinstance(stmt, ast.Assign) or not isinstance(stmt.targets[0], ast.Subscript):
            continue
        made = case.resolver.value(stmt.value, item.event.frame)
        fresh = made is not None and made.kind is ValueKind.MODULE and made.site is stmt.value
        if fresh and text(stmt.targets[0].value) in held and stmt.lineno > line(item.event):
            yield Binding(text(stmt.targets[0]), stmt.value, BindingKind.ASSIGNED, stmt)


def _held(item: BuiltOptimizer) -> set[str]:
    """Names whose `.parameters()` the construction takes."""
    return {
        text(node.func.value)
        for given in item.site.args[:1]
        for node in walk(given)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "parameters"
    }


def _is_new(case: Case, binding: Binding, name: str, item: BuiltOptimizer) -> bool:
    """Tell whether a binding puts new tensors where the optimizer's were."""
    value = binding.value
    if binding.how is not BindingKind.ASSIGNED or binding.index:
        return False
    if isinstance(value, ast.Subscript) and binding.target == name:
        return _is_of_a_file(case, value, item.event.frame) and _goes_on(binding, item)
    if not isinstance(value, ast.Call):
        return False
    called = last_name(value.func) or ""
    if called in NEW:
        return True
    if name.partition(".")[0] in names_in(value) and binding.target == name:
        return False
    if binding.target in map(text, value.args):
        # `model.module = torch.compile(model.module)`: what was there is inside of it.
        return False
    if binding.target == name and _reads_a_module(case, value, item.event.frame):
        return _goes_on(binding, item)
    made = case.resolver.value(value, item.event.frame)
    if made is None or made.kind is not ValueKind.MODULE or made.site is None:
        return False
    return not any(
        one is not None and one.site is made.site and one.frame is made.frame
        for one in _before(case, binding.target, item)
    )


def _reads_a_module(case: Case, value: ast.Call, frame: CallFrame) -> bool:
    """`Model.from_pretrained(path)`, `torch.load(path)`: a module of other tensors, from a file."""
    called = last_name(value.func)
    return called == "from_pretrained" or case.resolver.origin(value.func, frame) == "torch.load"


def _is_of_a_file(case: Case, value: ast.Subscript, frame: CallFrame) -> bool:
    """`checkpoint["model"]` of `checkpoint = torch.load(path)`."""
    name = value.value.id if isinstance(value.value, ast.Name) else ""
    found = frame.function.scope.bindings.get(name, ())
    return any(
        isinstance(one.value, ast.Call)
        and case.resolver.origin(one.value.func, frame) == "torch.load"
        for one in found
    )


def _goes_on(binding: Binding, item: BuiltOptimizer) -> bool:
    """Tell whether one path builds the optimizer, takes the new module and reaches the loop.

    `if args.evaluate: model = torch.load(path); test(model); return` takes no step any more.
    """
    scope = item.event.frame.function.scope
    built_under = [
        dict(one.under) for one in scope.bindings.get(item.label, ()) if one.value is item.site
    ]
    for test, side in binding.under:
        if any(under.get(test, side) is not side for under in built_under):
            return False
    return not any(
        _leaves(block)
        for stmt in walk(item.event.frame.function.node)
        if isinstance(stmt, ast.If)
        for block in (stmt.body, stmt.orelse)
        if any(inner is binding.node for one in block for inner in walk(one))
    )


def _leaves(block: list[ast.stmt]) -> bool:
    """Tell whether the last statement of a block ends the function or the program."""
    last = block[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return last_name(last.value.func) in ("exit", "_exit", "quit")
    return isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break)


def _before(case: Case, target: str, item: BuiltOptimizer) -> list[Value | None]:
    """Return what a name stood for when the optimizer was built."""
    frame = item.event.frame
    return [
        case.resolver.value(binding.value, frame)
        for binding in frame.function.scope.bindings.get(target, ())
        if binding.node.lineno < line(item.event)
    ]
