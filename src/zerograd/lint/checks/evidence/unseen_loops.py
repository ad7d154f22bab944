"""Functions that nothing here calls: each is judged as one round of a loop that was not seen.

`def learn(self, batch): loss.backward(); self.optimizer.step()` is called once a batch, by another
project or by a framework. What is wrong inside one call is wrong whoever calls it. What is wrong
only from one call to the next rests on assumptions: that there is a next call, that both meet the
same optimizer, and that nothing clears in between.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.evidence.case import Case, Draft, Spot, loops_around, trail
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.knowledge.name_heuristics import OPTIMIZER_WORDS
from zerograd.lint.values import call_frames
from zerograd.rules import named_rule
from zerograd.source.names import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.interpret.plan import Holder, RootPlan
    from zerograd.lint.program.module import Class, Function, Module

CLEARS = re.compile(r"\.(?:zero_grad|grad\s*+=\s*+None|grad\.(?:data\.)?zero_)")
"""A clear in the text of a file."""

RECEIVER_ENDS = re.compile(r"[^\w.\])]")
"""What no receiver of a clear has in it."""

LONGEST_RECEIVER = 100
"""Characters. A pattern that began with the receiver would read it again from each of its dots."""

QUIET_BASES = frozenset({"ABC", "Generic", "Module", "Protocol", "TestCase", "object"})
"""Base classes that never call a method which trains."""

WINDOWS = 2
"""The section of the rules that compare deposits with steps over several rounds."""


def is_one_round(plan: RootPlan) -> bool:
    """Tell whether a function deposits and steps outside of any loop of its own."""
    deposited = {at for event in _bare(plan, CallEffect.DEPOSIT) for at in event.must}
    return any(at in deposited for event in _bare(plan, CallEffect.STEP) for at in event.must)


def _bare(plan: RootPlan, effect: CallEffect) -> Iterator[SourceEvent]:
    return (event for event in plan.events if event.effect is effect and not loops_around(event))


def supposed(draft: Draft, case: Case) -> dict[str, bool]:
    """Return what a finding takes for granted about the loop that was not seen."""
    if not case.unseen or draft.at < 0 or not _needs_another_round(draft):
        return {}
    function = case.plan.frame.function
    told = f"`{function.last_name}` is judged as one round of a loop: nothing here calls it"
    draft.evidence.append((told, Spot(_signature(function), function.module)))
    shown = {"called-again": False, "kept-between-calls": _outlives(case.holder(draft.at), case)}
    if draft.rule == "missing-zero":
        shown["cleared-nowhere-else"] = _is_cleared_here_only(case, case.holder(draft.at))
        # A base class that cannot be read may call the method, and clear before it does.
        shown["base-does-not-clear"] = function.owner is None or all(
            base.rpartition(".")[2] in QUIET_BASES
            for base in call_frames.outside_bases(function.owner, case.resolver)
        )
    return shown


def _signature(function: Function) -> ast.AST:
    """Return `def name` as a place: the whole function would underline every line."""
    node = function.node
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end = column + len(f"def {function.last_name}")
    return ast.Pass(lineno=line, col_offset=column, end_lineno=line, end_col_offset=end)


def _needs_another_round(draft: Draft) -> bool:
    """Tell whether a finding joins what two calls of the function did."""
    if any(loops_around(event) for event in draft.events):
        return False
    if named_rule(draft.rule).section == WINDOWS:
        return True
    for step in trail(draft.trail):
        event = step.what
        if event == "round":
            return True
        if (
            isinstance(event, SourceEvent)
            and event.effect is CallEffect.STEP
            and draft.at in event.must
        ):
            return False
    return False


def _outlives(holder: Holder, case: Case) -> bool:
    """Tell whether the next call meets the same optimizer: it was made outside of the function."""
    value, function = holder.value, case.plan.frame.function
    if value is None:
        return False
    if value.site is not None:
        return id(value.frame) not in case.plan.frames
    # `self.optimizer`, which another file made: the object keeps it from one call to the next.
    owner, _, attr = holder.label.partition(".")
    return owner == function.self_name and attr.isidentifier() and _is_kept(function, holder.label)


def _is_kept(function: Function, label: str) -> bool:
    """Tell whether a method leaves an attribute of its object as it is."""
    return label not in function.scope.bindings


def files_around(function: Function, case: Case) -> list[Module]:
    """Return the files whose code may run before or after a function on the same object."""
    project = case.resolver.project
    found = [function.module]
    found += [
        module
        for path in project.importers(function.module.key)
        if (module := project.at(path)) is not None
    ]
    if function.owner is not None:
        # The loop may stand in a base class that leaves the round to this method.
        found += [cls.module for cls in call_frames.lineage(function.owner, case.resolver)]
    return list({id(module): module for module in found}.values())


def _is_cleared_here_only(case: Case, holder: Holder) -> bool:
    """Tell whether no other function that may be called in between clears the optimizer."""
    function = case.plan.frame.function
    kin = function.owner is not None
    modules = files_around(function, case)
    name = holder.label.rpartition(".")[2]
    held = {atom[-1] for atom in holder.atoms or ()} | {"self", "model", "net", "network"}
    # With the other bases of a class that mixes this one in.
    lines = [
        list(call_frames.lineage(cls, case.resolver))
        for module in (modules if kin else ())
        for cls in module.classes.values()
    ]
    family = [cls for line in lines if function.owner in line for cls in line]
    return not any(
        _may_clear(receiver, name, held) and not _is_anothers(line, receiver, module, case, family)
        for module in modules
        for line, receiver in _clears(module.source.text)
    )


def _clears(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the receiver of every clear in a text."""
    for found in CLEARS.finditer(text):
        before = text[max(0, found.start() - LONGEST_RECEIVER) : found.start()]
        yield text.count("\n", 0, found.start()) + 1, RECEIVER_ENDS.split(before)[-1]


def _may_clear(receiver: str, name: str, held: set[str]) -> bool:
    """Tell whether a receiver may be an optimizer of this name, or a module that it holds."""
    last = re.split(r"[.\])]", receiver.rstrip("])"))[-1]
    return last == name or last in held or OPTIMIZER_WORDS.isdisjoint(words(last))


def _is_anothers(line: int, receiver: str, module: Module, case: Case, family: list[Class]) -> bool:
    """Tell whether a clear of `self.optimizer` is that of another class, or is never run.

    A file of agents has one such line in each of them. The method of a base class that this one
    overrides runs only where somebody calls `super()`.
    """
    function = case.plan.frame.function
    if not family or not receiver.startswith("self."):
        return False
    for cls in module.classes.values():
        if not _stands_in(line, cls.node):
            continue
        if cls not in family:
            return True
        hidden = cls.methods.get(function.last_name)
        if cls is not function.owner and hidden is not None and _stands_in(line, hidden.node):
            return f"super().{function.last_name}(" not in function.module.source.text
    return False


def _stands_in(line: int, node: ast.AST) -> bool:
    return getattr(node, "lineno", 0) <= line <= getattr(node, "end_lineno", 0)
