"""What the source shows of the assumptions that many rules share.

Unseen code has shown the same few suppositions behind nearly every false finding. Each has a name
in `lint/confidence.py`, which says what is left of a finding that needs it, and here the test that
shows it:

- optimizer-known: the optimizer's making was seen, or it is one object with an optimizer's name;
- optimizer-made: its making was seen, so that its step is known to be an ordinary one;
- optimizer-kept: nothing that cannot be followed was given the optimizer;
- told-apart: "another optimizer" is surely another object;
- ordinary-methods: nothing is asked of it that torch's own optimizers do not do;
- mentions-understood: what seems to be missing is nowhere mentioned in a way that was not read;
- quiet-forward: no module behind the loss has a forward that may clear by itself;
- one-branch: the path needs no two undecided tests to go its way, which may exclude each other;
- loss-followed: every call behind the loss was seen, so that nothing else can have been reached.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.evidence.case import Case, Draft, holds, trail
from zerograd.lint.checks.evidence.ownership import (
    alone,
    built,
    known,
    modules,
    recognised,
    told_apart,
)
from zerograd.lint.checks.evidence.unread_mentions import understood
from zerograd.lint.checks.evidence.unseen_loops import supposed
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.interpret.conditions import Leaf, condition
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.knowledge.name_heuristics import OPTIMIZER_ATTRIBUTES, SCHEDULER_WORDS
from zerograd.lint.program.flow import Branch
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import last_name, text
from zerograd.lint.values.call_frames import lineage
from zerograd.lint.values.value import ValueKind
from zerograd.severity import Severity
from zerograd.source.names import words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zerograd.lint.interpret.conditions import Condition
    from zerograd.lint.program.module import Module

HARMLESS = (
    *("sched", "warm", "anneal", "adjust", "save", "load", "reload", "state", "check", "resum"),
    *("restor", "print", "log", "summar", "format", "count", "watch", "broadcast", "prepare"),
    *("wrap", "unwrap", "regist", "append", "freez", "unfreez", "unscale", "group", "lr", "swa"),
)
"""Beginnings of words: a call named with one looks at an optimizer, keeps it or sets its rate."""

HARMLESS_FIRST = ("is", "has", "get", "set", "setup", "add", "clip", "initialize")
"""The same, of a name's first word: `is_warm`, but not `what_is`."""

HARMLESS_WHOLE = frozenset(
    {"len", "str", "repr", "id", "type", "list", "tuple", "dict", "zip", "enumerate", "step"}
    | {"isinstance", "issubclass", "hasattr", "getattr", "setattr", "callable", "cat", "chain"}
)
"""The same, of a whole name."""


def _is_harmless(name: str) -> bool:
    """Tell whether a call with this name leaves the gradients of an optimizer alone.

    By words, not by letters: `update_ema` is harmless, `remap` is not.
    """
    parts = words(name)
    return (
        name in HARMLESS_WHOLE
        or "ema" in parts
        or any(part.startswith(HARMLESS) for part in parts)
        or (parts[:1] != [] and parts[0] in HARMLESS_FIRST)
    )


TENSOR_GRADIENT_WORDS = frozenset(
    {"clear", "grad", "gradient", "gradients", "grads", "minimize", "optim", "optimize"}
    | {"optimizer", "reset", "step", "update", "zero"}
)
"""A function that is named with none of them reads a tensor and leaves its gradient alone."""

QUIET = re.compile(r"no_grad|inference_mode")


def grounded(draft: Draft, case: Case) -> Draft:
    """Return the draft with those assumptions of its rule that the source does not show."""
    if draft.at >= 0:
        sure = {"optimizer-by-name": case.holder(draft.at).sure}
        draft.verdict = draft.verdict.assuming(sure)
        draft.verdict = draft.verdict.assuming(supposed(draft, case))
    if draft.verdict.severity is not Severity.HINT:
        shown = {name: GROUNDS[name](case, draft) for name in NEEDED.get(draft.rule, ())}
        draft.verdict = draft.verdict.assuming(shown)
    return draft


def _no_stranger(case: Case, draft: Draft) -> bool:
    """Tell whether nothing that cannot be followed may do what seems to be missing."""
    if draft.at < 0:
        return not case.has(CallEffect.UNKNOWN)
    if case.touching(draft.at, CallEffect.UNKNOWN):
        return False
    holder = case.holder(draft.at)
    names = {holder.label}
    if holder.value is not None and holder.value.key:
        names.add(holder.value.key[-1])
    followed = {id(event.node) for event in case.plan.events}
    homes = {id(event.frame.function) for event in case.plan.events}
    return not any(
        _is_stranger(case, call, module) and not (holder.manual and _takes_a_tensor(call))
        for module in modules(case)
        for name in names
        for call in _given(module, name)
        if id(call) not in followed and not _is_anothers(name, call, module, homes)
    )


def _given(module: Module, name: str) -> list[ast.Call]:
    """Return the calls that get an object, or a part of it: `clear(self.optimizer._optimizer)`."""
    inner = f"{name}."
    return [
        call
        for given, calls in module.calls_given.items()
        if given == name or (given.startswith(inner) and not _is_plain_part(given))
        for call in calls
    ]


def _is_plain_part(given: str) -> bool:
    """`optimizer.param_groups`: whether torch's own optimizers have the part as well."""
    return given.rpartition(".")[2] in OPTIMIZER_ATTRIBUTES


def _is_anothers(name: str, call: ast.Call, module: Module, homes: set[int]) -> bool:
    """Tell whether a call stands in a function that is not run here, with a variable of its own.

    `optimizer = SGD(...)` in `fit` and in `pretrain` are two: what one is given to says nothing of
    the other.
    """
    around = [
        function
        for function in module.functions.values()
        if function.name and _spans(function.node, call)
    ]
    innermost = max(around, key=lambda item: getattr(item.node, "lineno", 0), default=None)
    if innermost is None or id(innermost) in homes:
        return False
    bound = innermost.scope.bindings.get(name, ())
    return any(item.how is BindingKind.ASSIGNED and item.value is not None for item in bound)


def _spans(node: ast.AST, call: ast.Call) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return bool(first <= call.lineno <= last)


def _is_stranger(case: Case, call: ast.Call, module: Module) -> bool:
    """Tell whether a call may do anything with the optimizer that it is given."""
    name = last_name(call.func)
    if name is None or _is_harmless(name):
        return name is None
    if isinstance(call.func, ast.Attribute) and _is_harmless(last_name(call.func.value) or ""):
        # `checkpointer.update(model, optimizer)`
        return False
    if _makes_schedule(call, module):
        return False
    if any(function.last_name == name for function in module.functions.values()):
        return False
    return case.resolver.definition(call.func, case.resolver.body(module)) is None


def _takes_a_tensor(call: ast.Call) -> bool:
    """`generator(z)`: whether a call that gets a tensor has no name that speaks of gradients."""
    name = last_name(call.func)
    return name is not None and TENSOR_GRADIENT_WORDS.isdisjoint(words(name))


def _makes_schedule(call: ast.Call, module: Module) -> bool:
    """`scheduler = instantiate(config, optimizer=optimizer)`: whether a schedule takes it."""
    return any(
        not SCHEDULER_WORDS.isdisjoint(words(item.target))
        for function in module.functions.values()
        for found in function.scope.bindings.values()
        for item in found
        if item.value is call
    )


def _ordinary_methods(case: Case, draft: Draft) -> bool:
    """`optimizer.aggregate_grads()`: whether no method of the optimizer may use the gradients."""
    label = case.holder(draft.at).label
    return not any(module.attributes(label) - OPTIMIZER_ATTRIBUTES for module in modules(case))


def _quiet_forward(case: Case, draft: Draft) -> bool:
    """Tell whether no module behind the loss touches an account in its forward."""
    return not any(
        case.relevance.eventful(cls.methods["forward"]) and _may_clear(cls.module)
        for event in draft.events
        if event.effect is CallEffect.DEPOSIT
        for call, frame in reach_of(event, case.plan, case.resolver).calls
        for value in (case.resolver.value(call.func, frame),)
        if value is not None and value.kind is ValueKind.MODULE
        for cls in lineage(value.target, case.resolver)
        if "forward" in cls.methods
    )


def _may_clear(module: Module) -> bool:
    """Tell whether a module's text has anything to do with a gradient that is there."""
    return module.mentions("zero_grad") or module.mentions(".grad")


def _one_turn(case: Case, draft: Draft) -> bool:
    """Tell whether the witness needs at most one undecided test to go its way."""
    avoided = case.touching(draft.at, CallEffect.CLEAR) if draft.rule == "missing-zero" else []
    wanted = (*draft.events, *draft.needs)
    decided: set[int] = set()
    turns: dict[str, set[bool]] = {}
    inner: list[Branch] = []
    # Latest first: a test within another one's block is met before it. Whoever wrote it there
    # knows that both answers come along with the outer test's, so the two count as one.
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
        if any(holds(node, item.test) for node in taken for item in inner):
            continue
        inside = [any(holds(node, event.node) for node in taken) for event in (*wanted, *avoided)]
        missed = any(holds(node, event.node) for node in skipped for event in avoided)
        if missed or (any(inside[: len(wanted)]) and not all(inside)):
            turns.setdefault(text(branch.test), set()).add(step.taken)
            inner.append(branch)
    # One test that goes both ways needs a change in between that nobody saw.
    return len(turns) < 2 and not any(len(taken) > 1 for taken in turns.values())


def _is_answered(case: Case, branch: Branch, events: tuple[SourceEvent, ...]) -> bool:
    """`train(stepping=True)`: whether the call that the path goes through answers the test."""
    nodes = (*branch.then, *branch.other)
    frame = next((item.frame for item in events if any(holds(n, item.node) for n in nodes)), None)
    if frame is None:
        return False
    return _truth(condition(branch.test, frame, case.resolver)) is not None


def _truth(found: Condition) -> bool | None:
    """Return the answer to a condition where some part settles it: `None is not None and ...`."""
    if isinstance(found, Leaf):
        return found.known
    parts = [_truth(part) for part in found.parts]
    settled = not found.every
    if settled in parts:
        return settled
    return None if None in parts else found.every


def _still_scaled(_: Case, draft: Draft) -> bool:
    """Tell whether no `unscale_`, of whatever optimizer, stands between deposit and clip."""
    for step in trail(draft.trail):
        if step.what is draft.events[1]:
            break
        if isinstance(step.what, SourceEvent) and step.what.effect is CallEffect.UNSCALE:
            return False
    return True


def _followed(case: Case, _: Draft) -> bool:
    return every_loss_followed(case)


def every_loss_followed(case: Case) -> bool:
    """Tell whether every deposit of the root was followed to all modules that it reaches."""
    reached = [
        reach_of(event, case.plan, case.resolver)
        for event in case.plan.events
        if event.effect is CallEffect.DEPOSIT and event.atoms is None
    ]
    # A function that was not read may cut the graph: `advantage(deltas)` of another file.
    return all(item.whole and not item.unread for item in reached)


def _unguarded(_: Case, draft: Draft) -> bool:
    """Tell whether nothing decides about the deposit inside of the `no_grad` around it."""
    guarded = False
    for item in reversed(draft.events[0].context):
        if item.place is EnclosingKind.WITH and QUIET.search(text(item.node.items[0].context_expr)):  # type: ignore[attr-defined]  # a `with` has items
            return not guarded
        guarded = guarded or item.place in (EnclosingKind.THEN, EnclosingKind.OTHER)
    return True


GROUNDS: Mapping[str, Callable[[Case, Draft], bool]] = {
    "optimizer-known": recognised,
    "optimizer-made": known,
    "optimizers-built": built,
    "optimizer-kept": _no_stranger,
    "told-apart": told_apart,
    "alone": alone,
    "ordinary-methods": _ordinary_methods,
    "mentions-understood": understood,
    "quiet-forward": _quiet_forward,
    "one-branch": _one_turn,
    "loss-followed": _followed,
    "still-scaled": _still_scaled,
    "graph-cut-always": _unguarded,
}
"""Assumptions that whole families of rules share, and the test that shows each."""

NEEDED: Mapping[str, tuple[str, ...]] = {
    "missing-zero": (
        "optimizer-known",
        "optimizer-made",
        "optimizer-kept",
        "told-apart",
        "one-branch",
        "mentions-understood",
        "quiet-forward",
    ),
    "spent-twice": ("optimizer-known", "optimizer-made", "optimizer-kept", "one-branch"),
    "zero-before-step": ("optimizer-known", "optimizer-made", "optimizer-kept", "one-branch"),
    "zero-inside-window": ("ordinary-methods", "optimizer-kept", "one-branch"),
    "leaked-deposit": ("optimizers-built", "optimizer-kept", "one-branch"),
    "step-without-backward": (
        "optimizers-built",
        "optimizer-kept",
        "one-branch",
        "loss-followed",
        "mentions-understood",
    ),
    "never-spent": ("optimizer-kept", "told-apart", "alone"),
    "scaled-step": (
        "optimizer-known",
        "optimizer-made",
        "optimizer-kept",
        "one-branch",
        "mentions-understood",
    ),
    "scaler-not-updated": (
        "optimizer-known",
        "optimizer-made",
        "optimizer-kept",
        "one-branch",
        "mentions-understood",
    ),
    "unscaled-twice": ("optimizer-known", "optimizer-made", "optimizer-kept", "one-branch"),
    "clip-before-unscale": ("still-scaled", "mentions-understood"),
    "clip-after-step": ("optimizer-known", "optimizer-made", "optimizer-kept"),
    "clip-before-backward": ("optimizer-known", "optimizer-made", "optimizer-kept"),
    "clip-other-parameters": ("optimizers-built", "optimizer-kept"),
    "backward-without-graph": ("graph-cut-always",),
    "backward-twice": ("optimizer-kept",),
    "zero-outside-closure": ("optimizer-kept",),
}
"""Which of them each rule needs; a rule that is not here needs only those of its own check."""
