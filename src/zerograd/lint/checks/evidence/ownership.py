"""Whose account it is: what a finding may take for granted about the optimizers it names."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.evidence import optimizers
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.knowledge.name_heuristics import OPTIMIZER_WORDS
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import keyword, last_name, root_of, walk
from zerograd.lint.values import call_frames, kinds, parameter_sets
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import ValueKind
from zerograd.source.names import words

if TYPE_CHECKING:
    from zerograd.lint.checks.evidence.case import Case, Draft
    from zerograd.lint.events import SourceEvent
    from zerograd.lint.interpret.plan import Holder
    from zerograd.lint.program.module import Module
    from zerograd.lint.values.value import Value

WRAPPERS = frozenset({"NoamOpt", "ScheduledOptim", "PCGrad", "KFAC", "Lookahead"})
"""Classes of many authors under one name, whose `step` may also clear."""

PACKAGES = frozenset({"optim", "optimizer", "optimizers"})
"""Parts of the names of packages whose classes are ordinary optimizers."""

LISTED = frozenset({"parameters", "named_parameters"})
"""Methods that list what an optimizer is given."""


BUILDERS = frozenset({"build", "create", "get", "make", "configure", "init", "prepare", "setup"})
"""First words of functions that make what the rest of their name says: `build_optimizer`."""


def recognised(case: Case, draft: Draft) -> bool:
    """Tell whether it was seen whose account it is, or its name and place say so.

    `self.optimizer`, which another file makes, is nearly always torch's; `o` may be anything.
    """
    return known(case, draft) or _is_named(case, case.holder(draft.at))


def _is_named(case: Case, holder: Holder) -> bool:
    """`self.actor_optim`: one object, no engine's, that only an optimizer is called."""
    if holder.manual or holder.summary or not _is_plain(holder.label):
        return False
    if holder.value is not None and holder.value.site is not None:
        # Whoever makes optimizers of many kinds may make one whose step clears.
        return _says_optimizer(holder.value)
    # What the stepping function itself puts there was read, and is none: `optimizer = loss.sum()`.
    rebound = any(
        holder.label in event.frame.function.scope.bindings
        for event in case.plan.events
        if event.effect is CallEffect.STEP and event.label == holder.label
    )
    return not rebound and not OPTIMIZER_WORDS.isdisjoint(words(holder.label.rpartition(".")[2]))


def _says_optimizer(value: Value) -> bool:
    """`build_optimizer(cfg, model)`: whether what cannot be followed says what it makes."""
    first, *others = words((value.maker or "").rpartition(".")[2]) or [""]
    return first in BUILDERS and any(word.startswith("optim") for word in others)


def known(case: Case, draft: Draft) -> bool:
    """Tell whether it was seen whose account it is.

    Where a clip stands among clear, backward and step, it is enough that there are all three.
    """
    if draft.at < 0 or (draft.rule.startswith("clip-") and case.holder(draft.at).sure):
        return True
    return _is_known(case, case.holder(draft.at))


def _is_known(case: Case, holder: Holder) -> bool:
    value = holder.value
    if holder.manual or value is None:
        return holder.manual and not _is_one_of_many(case, holder)
    if holder.summary:
        plain = _is_plain(holder.label.partition("[")[0])
        return plain and (holder.sure or _is_filled(case, holder))
    if value.site is None:
        plain = _is_plain(holder.label)
        return (plain and _is_handed_in(case, holder)) or (
            # `agent.optimizer` that the program clears and steps itself is no engine's.
            holder.sure and (plain or _is_member(holder.label))
        )
    return _is_ordinary(case, value) or _is_used(case, holder.label) or _is_given_parameters(value)


def _is_filled(case: Case, holder: Holder) -> bool:
    """`Both(Adam(...), SGD(...))`: a container that was seen being filled with optimizers."""
    for event in case.plan.events:
        owner = event.frame.receiver
        if event.effect is not CallEffect.STEP or event.label != holder.label or owner is None:
            continue
        if owner.site is not None and owner.frame is not None and owner.site.args:
            values = [case.resolver.value(item, owner.frame) for item in owner.site.args]
            return all(item is not None and item.kind is ValueKind.OPTIMIZER for item in values)
    return False


def _is_one_of_many(case: Case, holder: Holder) -> bool:
    """`for layer in layers: layer.weight -= ...`: another tensor in every round.

    `for p in net.parameters(): p -= ...` is one update of the whole net.
    """
    return any(
        item.how is BindingKind.ITERATED and not _is_whole_net(case, root, event)
        for event in case.plan.events
        if event.manual and event.atoms and holder.key in event.atoms
        for root in (_root(event.node),)
        if root is not None
        for item in event.frame.function.scope.bindings.get(root.id, ())
    )


def _is_whole_net(case: Case, root: ast.Name, event: SourceEvent) -> bool:
    value = case.resolver.value(root, event.frame)
    return value is not None and value.kind is ValueKind.PARAMETER


def _root(node: ast.AST) -> ast.Name | None:
    """Return the first name of what a statement changes."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    func = getattr(node, "func", None)
    return root_of(func if func is not None else targets[0])


def _is_plain(label: str) -> bool:
    """`optimizer` or `self.optimizer`, not what an engine, a call or a list holds."""
    return re.fullmatch(r"(?:self\.)?\w+", label) is not None


def _is_member(label: str) -> bool:
    """`agent.critic_optimizer`: an attribute of an object that goes by one name."""
    return re.fullmatch(r"(?:self\.)?\w+\.\w+", label) is not None


def _is_handed_in(case: Case, holder: Holder) -> bool:
    """Tell whether a name without a known maker is a parameter, which callers fill with one."""
    for event in case.plan.events:
        if event.effect is not CallEffect.STEP or event.label != holder.label:
            continue
        function, receiver = event.frame.function, event.frame.receiver
        owner = receiver.target if receiver is not None else function.owner
        methods = [
            method
            for cls in call_frames.lineage(owner, case.resolver)
            for method in cls.methods.values()
        ]
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
        names = call_frames.outside_bases(value.target, case.resolver)
    return bool(names) and all(_is_class(name) for name in names)


def _is_given_parameters(value: Value) -> bool:
    """`opt_func(model.parameters(), lr)`: called as torch's classes are, whichever it is."""
    site = value.site
    if site is None or value.target is not None or last_name(site.func) in WRAPPERS:
        return False
    given = keyword(site, "params") or (site.args[0] if site.args else None)
    if given is None or value.frame is None:
        return False
    spelled = [given]
    if isinstance(given, ast.Name | ast.Attribute):
        spelled = [item.value for item in bindings_of(given, value.frame)[0] if item.value]
    return bool(spelled) and all(
        any(isinstance(node, ast.Attribute) and node.attr in LISTED for node in walk(item))
        for item in spelled
    )


def _is_class(name: str) -> bool:
    package, _, last = name.rpartition(".")
    if last in WRAPPERS:
        return False
    # `torch.optim.SGD`, `torchrec.optim.keyed.CombinedOptimizer`
    return last in kinds.OPTIMIZERS or not PACKAGES.isdisjoint(package.split("."))


def _is_used(case: Case, label: str) -> bool:
    """Tell whether the program clears it itself somewhere, as one does with a plain optimizer."""
    return any("zero_grad" in module.attributes(label) for module in modules(case))


def built(case: Case, draft: Draft) -> bool:
    """Tell whether every optimizer of the root was seen being made, with its parameters."""
    return all(
        holder.value is not None
        and holder.value.site is not None
        and holder.atoms is not None
        and _is_ordinary(case, holder.value)
        for holder in case.plan.holders
    ) and known(case, draft)


def told_apart(case: Case, draft: Draft) -> bool:
    """Tell whether every clear or step of another optimizer surely is another's."""
    effect = CallEffect.STEP if draft.rule == "never-spent" else CallEffect.CLEAR
    mine = case.holder(draft.at) if draft.at >= 0 else None
    return all(
        _is_other(case, target, mine)
        for event in case.plan.events
        if event.effect is effect and draft.at not in (*event.must, *event.may)
        for target in event.targets
    )


def _is_other(case: Case, target: Value, mine: Holder | None) -> bool:
    if target.site is not None:
        # Also `[Adam(net.parameters()) for net in nets]`: made here, each for itself.
        return True
    if target.kind is ValueKind.OPTIMIZERS and not target.parts:
        return False
    theirs = parameter_sets.of_optimizer(case.resolver, target)
    if mine is not None and mine.atoms is not None and theirs is not None:
        return parameter_sets.disjoint(mine.atoms, theirs)
    return bool(target.key) and _is_plain(target.key[-1])


def alone(case: Case, draft: Draft) -> bool:
    """Tell whether no optimizer that is stepped trains the same modules: a second one is spare.

    One that is cleared is meant to be stepped as well.
    """
    if any(
        target.site is draft.spot.node
        for event in case.plan.events
        if event.effect is CallEffect.CLEAR
        for target in event.targets
    ):
        return True
    shown = optimizers.built(case)
    made = next((item.atoms for item in shown if item.site is draft.spot.node), None)
    return made is None or all(
        holder.atoms is not None and parameter_sets.disjoint(made, holder.atoms)
        for holder in case.plan.holders
        if holder.value is None or holder.value.site is not draft.spot.node
    )


def modules(case: Case) -> list[Module]:
    """Return every module in which the root has an event."""
    found = {
        id(event.frame.function.module): event.frame.function.module for event in case.plan.events
    }
    return list(found.values())
