"""ZG304: parameters that the loss trains and no optimizer holds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.ownership import orphan_parameter
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, spot, unsaid
from zerograd.lint.checks.evidence.new_modules import is_new_on_top, is_spelled
from zerograd.lint.checks.evidence.optimizers import BuiltOptimizer, built, hidden, spelled
from zerograd.lint.checks.later_modules import later_modules
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.interpret.origins import is_bare
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Class
from zerograd.lint.program.syntax import text, walk
from zerograd.lint.values import parameter_sets
from zerograd.lint.values.bound_names import of_instance
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.reached_values import ReachedValues
    from zerograd.lint.values.value import Key, Value


def check(case: Case) -> Iterator[Draft]:
    """Modules and tensors behind a deposit that every optimizer leaves out."""
    items = [item for item in built(case) if case.plan.index(item.value.key) is not None]
    unknown = (
        not items
        or any(item.atoms is None for item in items)
        or any(holder.atoms is None for holder in case.plan.holders)
    )
    known = {"nothing-hidden": not hidden(case), "sets-known": not unknown}
    for item in items:
        yield from _came_late(case, item)
    told: set[Key] = set()
    for event in case.plan.events:
        if event.effect is not CallEffect.DEPOSIT:
            continue
        reached = reach_of(event, case.plan, case.resolver)
        if not items or not reached.whole or reached.atoms is None:
            yield from _unjudged(event, known)
            continue
        whole = {atom for atom in reached.atoms if _left_out(case, atom, items, reached.atoms)}
        for atom in sorted(whole | set(_parts_left_out(case, reached, items))):
            if atom not in told:
                told.add(atom)
                draft = _draft(case, atom, event, items, alone=atom in whole)
                if draft is not None:
                    draft.verdict = draft.verdict.assuming(known)
                    yield draft


def _came_late(case: Case, item: BuiltOptimizer) -> Iterator[Draft]:
    """Yield modules that a method adds to a model after the optimizer took its parameters."""
    verdict = orphan_parameter(deposited=True, held=False, used=False, meant=True)
    held = {
        text(node.func.value)
        for given in item.site.args[:1]
        for node in walk(given)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    for later in later_modules(case, item, held) if verdict is not None else ():
        if not later.replaces and verdict is not None:
            yield Draft(
                verdict,
                Spot(item.site, item.module),
                f"`{later.name}` is added by `{text(later.call.func)}` after this, "
                f"and `{item.label}` does not hold it",
                "build the optimizer after the last module was added",
                [("called here", Spot(later.call, item.module))],
            )


def _unjudged(event: SourceEvent, known: dict[str, bool]) -> Iterator[Draft]:
    """Count a deposit that may train parameters which no optimizer in sight holds."""
    maybe = Unknown("modules-known")
    verdict = orphan_parameter(deposited=maybe, held=False, used=False, meant=False)
    if verdict is not None:
        yield unsaid(verdict.assuming(known), event)


def _left_out(case: Case, atom: Key, items: list[BuiltOptimizer], reached: frozenset[Key]) -> bool:
    """No optimizer holds it, all or in part, and it has parameters that train."""
    one = frozenset({atom})
    if any(item.atoms and not parameter_sets.disjoint(item.atoms, one) for item in items):
        return False
    if any(
        not parameter_sets.disjoint(holder.atoms or frozenset(), one)
        for holder in case.plan.holders
    ):
        return False
    return any(
        item.atoms and not parameter_sets.disjoint(item.atoms, reached) for item in items
    ) and not _frozen(case, one)


def _parts_left_out(
    case: Case, reached: ReachedValues, items: list[BuiltOptimizer]
) -> Iterator[Key]:
    """Yield the layers that a called module runs, if optimizers hold others of it and not these."""
    held = frozenset().union(*(item.atoms or () for item in items))
    for call, frame in reached.calls:
        value = case.resolver.value(call.func, frame)
        if (
            value is None
            or value.kind is not ValueKind.MODULE
            or not isinstance(value.target, Class)
        ):
            continue
        one = frozenset({value.key})
        if parameter_sets.covers(held, one) or parameter_sets.disjoint(held, one):
            continue
        for part in _layers(case, value, value.target):
            single = frozenset({part})
            if parameter_sets.disjoint(held, single) and not _frozen(case, single):
                yield part


def _layers(case: Case, value: Value, target: Class) -> Iterator[Key]:
    """Yield the modules of a module that its `forward` calls by name."""
    forward = target.methods.get("forward")
    for node in walk(forward.node) if forward is not None else ():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if forward is not None and text(node.func.value) == forward.self_name:
            part = of_instance(case.resolver, value, node.func.attr)
            if part is not None and part.kind is ValueKind.MODULE and not is_bare(part):
                yield part.key


def _frozen(case: Case, one: frozenset[Key]) -> bool:
    return any(
        event.effect is CallEffect.FREEZE
        and event.atoms
        and not parameter_sets.disjoint(event.atoms, one)
        for event in case.plan.events
    )


def _is_put_to_train(atom: Key, event: SourceEvent) -> bool:
    """Tell whether a module is made anew, put into training mode, and kept in a checkpoint.

    A teacher or a pretrained trunk has its weights from a file, and nobody saves it again.
    """
    module, name = event.frame.function.module, atom[-1]
    spelled = [name, f"{event.frame.function.self_name}.{name}"]
    used = set().union(*(module.attributes(item) for item in spelled))
    return {"train", "state_dict"} <= used and "load_state_dict" not in used


def _draft(
    case: Case, atom: Key, event: SourceEvent, items: list[BuiltOptimizer], *, alone: bool
) -> Draft | None:
    item = items[0]
    reached = reach_of(event, case.plan, case.resolver)
    called = [
        call.func
        for call, frame in reached.calls
        if (run := case.resolver.value(call.func, frame)) is not None and run.key == atom
    ]
    # A helper calls what it makes by a name of its own.
    name = f"`{text(called[0])}`" if called else spelled(atom)
    cleared = any(
        other.effect is CallEffect.CLEAR
        and other.atoms
        and atom in other.atoms
        and not (other.targets or other.manual)
        for other in case.plan.events
    )
    leaf = (
        case.resolver.value(item.site.args[0], item.value.frame)
        if (item.site.args and item.value.frame is not None)
        else None
    )
    listed = (
        leaf is not None
        and len(leaf.parts) > 1
        and all(part.kind is ValueKind.LEAF for part in leaf.parts)
    )
    # An attack trains a few tensors through a model that stays as it is.
    listed = listed and not called
    alone = alone and not any(is_spelled(text(func), one) for func in called for one in items)
    # Layers of a larger module may be left out on purpose: a probe trains the last one only.
    meant = alone and (
        cleared
        or listed
        or _is_put_to_train(atom, event)
        or is_new_on_top(case, atom, reached, built(case))
    )
    verdict = orphan_parameter(deposited=True, held=False, used=False, meant=meant)
    if verdict is None:
        return None
    message = f"{name} is trained by this loss, but `{item.label}` does not hold it"
    return Draft(
        verdict,
        Spot(item.site, item.module),
        message,
        f"give `{item.label}` the parameters of {name} as well",
        [("deposited here", spot(event))],
    )
