"""What a loud finding rests on: one that rests on something nobody saw is a hint.

Unseen code has shown the same few suppositions behind nearly every false finding, so each is
a ground of its own here, and every rule names those that it needs:

- whose account it is: the optimizer's making was seen, not only a name or an engine's attribute;
- no stranger: nothing that cannot be followed was given the optimizer;
- told apart: "another optimizer" is surely another object;
- one turn: the path needs no two undecided tests to go its way, which may exclude each other;
- followed: every call behind the loss was seen, so that nothing else can have been reached.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, holds, trail
from zerograd.lint.checks.optimizers import built
from zerograd.lint.events.event import Event, Place
from zerograd.lint.flow import Branch
from zerograd.lint.interpret.conditions import Leaf, condition
from zerograd.lint.interpret.reach import reach_of
from zerograd.lint.knowledge import Effect
from zerograd.lint.module import Function
from zerograd.lint.names import frames, kinds, parameters
from zerograd.lint.names.values import Kind
from zerograd.lint.scope import How
from zerograd.lint.syntax import dotted, last_name, root_name, text, walk
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zerograd.lint.interpret.plan import Holder
    from zerograd.lint.module import Module
    from zerograd.lint.names.values import Value

HARMLESS = re.compile(
    r"sched|lr|warm|anneal|save|load|state|check|resum|print|^len$|^str$|^repr$|^id$|log|^is|^has"
    r"|^type$|^get|^set_|^list$|^tuple$|^dict$|^zip$|^enumerate$|summar|broadcast|prepare|^setup"
    r"|wrap|regist|^clip|unscale|^step$|append|^add|^initialize$|adjust|count|format|freez|watch"
    r"|^cat$|^chain$|restor|ema|^swa|group",
    re.I,
)
"""Calls that take an optimizer to look at it, to keep it or to change its rate."""

QUIET = re.compile(r"no_grad|inference_mode")
WRAPPERS = frozenset({"NoamOpt", "ScheduledOptim", "PCGrad", "KFAC", "Lookahead"})
"""Classes of many authors under one name, whose `step` may also clear."""


def weighed(draft: Draft, case: Case) -> Draft:
    """Return the draft, as a hint unless everything that its rule rests on was seen."""
    if draft.severity is not Severity.HINT and not all(
        holds_good(case, draft) for holds_good in GROUNDS.get(draft.rule, ())
    ):
        draft.severity = Severity.HINT
    return draft


def _known(case: Case, draft: Draft) -> bool:
    """Tell whether it was seen whose account it is."""
    return draft.at < 0 or _is_known(case, case.holder(draft.at))


def _is_known(case: Case, holder: Holder) -> bool:
    value = holder.value
    if holder.manual or value is None:
        return holder.manual and not _is_one_of_many(case, holder)
    if holder.summary:
        plain = _is_plain(holder.label.partition("[")[0])
        return plain and (holder.sure or _is_filled(case, holder))
    if value.site is None:
        return _is_plain(holder.label) and (holder.sure or _is_handed_in(case, holder))
    return _is_ordinary(case, value) or _is_used(case, holder.label)


def _is_filled(case: Case, holder: Holder) -> bool:
    """`Both(Adam(...), SGD(...))`: a container that was seen being filled with optimizers."""
    for event in case.plan.events:
        owner = event.frame.receiver
        if event.effect is not Effect.STEP or event.label != holder.label or owner is None:
            continue
        if owner.site is not None and owner.frame is not None and owner.site.args:
            values = [case.resolver.value(item, owner.frame) for item in owner.site.args]
            return all(item is not None and item.kind is Kind.OPTIMIZER for item in values)
    return False


def _is_one_of_many(case: Case, holder: Holder) -> bool:
    """`for layer in layers: layer.weight -= ...`: another tensor in every round."""
    return any(
        item.how is How.ITERATED
        for event in case.plan.events
        if event.manual and event.atoms and holder.key in event.atoms
        for item in event.frame.function.scope.bindings.get(_root(event.node), ())
    )


def _root(node: ast.AST) -> str:
    """Return the first name of what a statement changes."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    func = getattr(node, "func", None)
    return root_name(func if func is not None else targets[0]) or ""


def _is_plain(label: str) -> bool:
    """`optimizer` or `self.optimizer`, not what an engine, a call or a list holds."""
    return re.fullmatch(r"(?:self\.)?\w+", label) is not None


def _is_handed_in(case: Case, holder: Holder) -> bool:
    """Tell whether a name without a known maker is a parameter, which callers fill with one."""
    for event in case.plan.events:
        if event.effect is not Effect.STEP or event.label != holder.label:
            continue
        function = event.frame.function
        methods = function.owner.methods.values() if function.owner is not None else ()
        if holder.label in function.scope.parameters or any(
            isinstance(item.value, ast.Name) and item.value.id in method.scope.parameters
            for method in methods
            for item in method.scope.bindings.get(holder.label, ())
        ):
            return True
    return False


def _is_ordinary(case: Case, value: Value) -> bool:
    """Tell whether a maker is torch's, a well-known class, or the project's own over one."""
    names = [value.maker or ""]
    if value.target is not None and not isinstance(value.target, Function):
        names = frames.outside_bases(value.target, case.resolver)
    return bool(names) and all(_is_class(name) for name in names)


def _is_class(name: str) -> bool:
    package, _, last = name.rpartition(".")
    if last in WRAPPERS:
        return False
    return last in kinds.OPTIMIZERS or package.rpartition(".")[2] in ("optim", "optimizer")


def _is_used(case: Case, label: str) -> bool:
    """Tell whether the program clears it itself somewhere, as one does with a plain optimizer."""
    return any("zero_grad" in module.attributes(label) for module in _modules(case))


def _built(case: Case, draft: Draft) -> bool:
    """Tell whether every optimizer of the root was seen being made, with its parameters."""
    return all(
        holder.value is not None
        and holder.value.site is not None
        and holder.atoms is not None
        and _is_ordinary(case, holder.value)
        for holder in case.plan.holders
    ) and _known(case, draft)


def _no_stranger(case: Case, draft: Draft) -> bool:
    """Tell whether nothing that cannot be followed may do what seems to be missing."""
    if draft.at < 0:
        return not case.has(Effect.UNKNOWN)
    if case.touching(draft.at, Effect.UNKNOWN):
        return False
    holder = case.holder(draft.at)
    names = {holder.label}
    if holder.value is not None and holder.value.key:
        names.add(holder.value.key[-1])
    followed = {id(event.node) for event in case.plan.events}
    return not any(
        _is_stranger(case, call, module)
        for module in _modules(case)
        for call in _given(module, names)
        if id(call) not in followed
    )


def _given(module: Module, names: set[str]) -> Iterator[ast.Call]:
    """Every call of a module that is given one of these."""
    for node in walk(module.tree):
        if isinstance(node, ast.Call):
            values = (*node.args, *(item.value for item in node.keywords))
            if any(dotted(value) in names for value in values):
                yield node


def _is_stranger(case: Case, call: ast.Call, module: Module) -> bool:
    """Tell whether a call may do anything with the optimizer that it is given."""
    name = last_name(call.func)
    if name is None or HARMLESS.search(name):
        return name is None
    if any(function.last_name == name for function in module.functions.values()):
        return False
    return case.resolver.definition(call.func, case.resolver.body(module)) is None


def _told_apart(case: Case, draft: Draft) -> bool:
    """Tell whether every clear or step of another optimizer surely is another's."""
    effect = Effect.STEP if draft.rule == "never-spent" else Effect.CLEAR
    mine = case.holder(draft.at) if draft.at >= 0 else None
    return all(
        _is_other(case, target, mine)
        for event in case.plan.events
        if event.effect is effect and draft.at not in (*event.must, *event.may)
        for target in event.targets
    )


def _is_other(case: Case, target: Value, mine: Holder | None) -> bool:
    if target.kind is Kind.OPTIMIZERS and not target.parts:
        return False
    if target.site is not None:
        return True
    theirs = parameters.of_optimizer(case.resolver, target)
    if mine is not None and mine.atoms is not None and theirs is not None:
        return parameters.disjoint(mine.atoms, theirs)
    return bool(target.key) and _is_plain(target.key[-1])


def _one_turn(case: Case, draft: Draft) -> bool:
    """Tell whether the witness needs at most one undecided test to go its way."""
    avoided = case.touching(draft.at, Effect.CLEAR) if draft.rule == "missing-zero" else []
    wanted = (*draft.events, *draft.needs)
    decided: set[int] = set()
    turns: dict[str, set[bool]] = {}
    for step in trail(draft.trail):
        branch = step.what
        if not isinstance(branch, Branch) or id(branch) in decided:
            continue
        decided.add(id(branch))
        if _is_answered(case, branch, (*wanted, *avoided)):
            continue
        taken, skipped = branch.then, branch.other
        if not step.taken:
            taken, skipped = skipped, taken
        inside = [any(holds(node, event.node) for node in taken) for event in (*wanted, *avoided)]
        missed = any(holds(node, event.node) for node in skipped for event in avoided)
        if missed or (any(inside[: len(wanted)]) and not all(inside)):
            turns.setdefault(text(branch.test), set()).add(step.taken)
    # One test that goes both ways needs a change in between that nobody saw.
    return len(turns) < 2 and not any(len(taken) > 1 for taken in turns.values())


def _is_answered(case: Case, branch: Branch, events: tuple[Event, ...]) -> bool:
    """`train(stepping=True)`: whether the call that the path goes through answers the test."""
    nodes = (*branch.then, *branch.other)
    frame = next((item.frame for item in events if any(holds(n, item.node) for n in nodes)), None)
    if frame is None:
        return False
    found = condition(branch.test, frame, case.resolver)
    return isinstance(found, Leaf) and found.known is not None


def _still_scaled(_: Case, draft: Draft) -> bool:
    """Tell whether no `unscale_`, of whatever optimizer, stands between deposit and clip."""
    for step in trail(draft.trail):
        if step.what is draft.events[1]:
            break
        if isinstance(step.what, Event) and step.what.effect is Effect.UNSCALE:
            return False
    return True


def _alone(case: Case, draft: Draft) -> bool:
    """Tell whether no optimizer that is stepped trains the same modules: a second one is spare.

    One that is cleared is meant to be stepped as well.
    """
    if any(
        target.site is draft.spot.node
        for event in case.plan.events
        if event.effect is Effect.CLEAR
        for target in event.targets
    ):
        return True
    made = next((item.atoms for item in built(case) if item.site is draft.spot.node), None)
    return made is None or all(
        holder.atoms is not None and parameters.disjoint(made, holder.atoms)
        for holder in case.plan.holders
        if holder.value is None or holder.value.site is not draft.spot.node
    )


def _followed(case: Case, _: Draft) -> bool:
    """Tell whether every deposit of the root was followed to all modules that it reaches."""
    return all(
        reach_of(event, case.plan, case.resolver).whole
        for event in case.plan.events
        if event.effect is Effect.DEPOSIT and event.atoms is None
    )


def _unguarded(_: Case, draft: Draft) -> bool:
    """Tell whether nothing decides about the deposit inside of the `no_grad` around it."""
    guarded = False
    for item in reversed(draft.events[0].context):
        if item.place is Place.WITH and QUIET.search(text(item.node.items[0].context_expr)):  # type: ignore[attr-defined]  # a `with` has items
            return not guarded
        guarded = guarded or item.place in (Place.THEN, Place.OTHER)
    return True


def _modules(case: Case) -> list[Module]:
    found = {
        id(event.frame.function.module): event.frame.function.module for event in case.plan.events
    }
    return list(found.values())


GROUNDS: dict[str, tuple[Callable[[Case, Draft], bool], ...]] = {
    "missing-zero": (_known, _no_stranger, _told_apart, _one_turn),
    "spent-twice": (_known, _no_stranger, _one_turn),
    "zero-before-step": (_known, _no_stranger, _one_turn),
    "leaked-deposit": (_built, _no_stranger, _one_turn, _followed),
    "step-without-backward": (_built, _no_stranger, _one_turn, _followed),
    "never-spent": (_no_stranger, _told_apart, _alone),
    "scaled-step": (_known, _no_stranger, _one_turn),
    "scaler-not-updated": (_known, _no_stranger, _one_turn),
    "unscaled-twice": (_known, _one_turn),
    "clip-before-unscale": (_still_scaled,),
    "clip-after-step": (_known, _no_stranger),
    "clip-before-backward": (_known, _no_stranger),
    "backward-without-graph": (_unguarded,),
    "backward-twice": (_no_stranger,),
}
"""What each rule rests on; a rule that is not here is judged by its own conditions alone."""
