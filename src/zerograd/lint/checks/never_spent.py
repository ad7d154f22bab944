"""ZG303: deposits in an optimizer's accounts that no step of the program ever spends."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.spending import never_spent
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, loops_around, spot, unsaid
from zerograd.lint.checks.evidence.optimizers import BuiltOptimizer, built, hidden
from zerograd.lint.checks.evidence.ownership import modules
from zerograd.lint.confidence import is_silent
from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Function
from zerograd.lint.program.syntax import last_name, text, walk
from zerograd.lint.values import parameter_sets
from zerograd.source.names import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Fact
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.apply_event import Observation
    from zerograd.lint.program.module import Module

LOOKING = frozenset(
    {"add_param_group", "load_state_dict", "param_groups", "state", "state_dict", "zero_grad"}
)
"""What can be asked of an optimizer without stepping it."""

HARMLESS = r"(lr_scheduler|LR|Scheduler|unscale_)\w*$"
"""Calls that take an optimizer and never step it."""

LOOKING_WORDS = frozenset(
    {"adjust", "anneal", "checkpoint", "decay", "load", "log", "lr", "print", "rate", "restore"}
    | {"resume", "save", "schedule", "scheduler", "state", "summary", "warmup"}
)
"""The same, by a word of their names: `adjust_learning_rate`, `save_checkpoint`."""


def check(case: Case) -> Iterator[Draft]:
    """Optimizers of a whole program that are built, reached by a backward and never stepped."""
    yield from _mistaken(case)
    function = case.plan.frame.function
    for item in built(case):
        # Only a whole program never steps, or the one function that can name the optimizer.
        if function.name and _home(item) is not function.node:
            continue
        if item.label == "_":  # `model, _ = build()` says that it is not wanted
            continue
        at = case.plan.index(item.value.key)
        stepped: Fact = False
        if at is None:
            made = _reached(case, item)
            why = "is never stepped"
            stepped = made is not None and _is_stepped(item, case)
        else:
            made = _deposited_later(case, at)
            why = "is stepped only before the first backward"
        verdict = never_spent(deposited=made is not None, stepped=stepped, spent_otherwise=False)
        if verdict is not None and made is not None:
            verdict = verdict.assuming(
                {
                    "nothing-hidden": not hidden(case),
                    "not-switched-off": not is_switched_off(item.module, item.label),
                    "gradients-unread": not _are_read(case),
                }
            )
            if is_silent(verdict):
                yield unsaid(verdict, made)
                continue
            yield Draft(
                verdict,
                Spot(item.site, item.module),
                f"`{item.label}` {why}: its gradients are computed and not used",
                f"call `{item.label}.step()` after the backward",
                [("deposited here", spot(made))],
            )


def _deposited_later(case: Case, at: int) -> SourceEvent | None:
    """Return a deposit in a loop, if every step of the account came before any."""
    steps = [seen for seen in case.steps() if seen.at == at]
    if not steps or not all(_is_early(seen) for seen in steps):
        return None
    made = [event for event in case.plan.events if _lands(event, at) and loops_around(event)]
    return made[0] if made else None


def _is_early(seen: Observation) -> bool:
    """Tell whether a step surely came before any deposit; a closure deposits in the step."""
    account = seen.account
    known = account.empty and not account.begun and not account.frozen
    return known and seen.event.closure is None


def _lands(event: SourceEvent, at: int) -> bool:
    return event.effect is CallEffect.DEPOSIT and at in event.must


def _mistaken(case: Case) -> Iterator[Draft]:
    """Find an optimizer whose place in a call another one has taken: `train(g_opt, g_opt)`."""
    given = [
        (name, argument, event)
        for event in case.plan.events
        if event.inside is not None and event.enters is not None
        for name, (argument, caller) in event.inside.arguments.items()
        if caller is event.frame and _steps(case, event)
    ]
    for item in built(case):
        label = item.label
        if case.plan.index(item.value.key) is not None:
            continue
        if any(text(argument) == label for _, argument, _ in given):
            continue
        for name, argument, event in given:
            # The same name in another function is another optimizer.
            mine = name == label and event.frame is item.event.frame
            value = case.resolver.value(argument, event.frame) if mine else None
            taken = value is not None and case.plan.index(value.key) is not None
            verdict = never_spent(deposited=taken, stepped=False, spent_otherwise=False)
            if verdict is not None:
                message = f"`{label}` is never stepped: `{text(argument)}` is given in its place"
                yield Draft(
                    verdict,
                    Spot(item.site, item.module),
                    message,
                    f"pass `{label}` as `{label}`",
                    [("given here", spot(event))],
                )
                break


def _steps(case: Case, event: SourceEvent) -> bool:
    """Tell whether a call steps an optimizer, itself or through others."""
    return any(
        other.effect is CallEffect.STEP
        and any(
            item.place is EnclosingKind.CALL and item.node is event.node for item in other.context
        )
        for other in case.plan.events
    )


def _is_stepped(item: BuiltOptimizer, case: Case) -> Fact:
    """Tell whether the program steps an optimizer that no event of this root steps."""
    if _only_looked_at(item, case):
        return False
    called = any("step" in module.attributes(item.label) for module in modules(case))
    return True if called else Unknown("nothing-hidden")


def _only_looked_at(item: BuiltOptimizer, case: Case) -> bool:
    """Tell whether the program's text never steps it, stores it or hands it to a stranger."""
    if "." in item.label and not item.label.startswith("self."):
        return False
    home = _home(item)
    taken = {
        node.attr
        for node in walk(home)
        if isinstance(node, ast.Attribute) and text(node.value) == item.label
    }
    if taken - LOOKING or any(map(_reads_gradients, _run_by(home, item))):
        return False
    # What a call does that was entered shows in the events: a step there would be among them.
    entered = {id(event.node) for event in case.plan.events if event.effect is None}
    seen_through: set[int] = set()
    for node in walk(home):
        if isinstance(node, ast.Attribute):
            seen_through.add(id(node.value))
        elif isinstance(node, ast.Call) and (id(node) in entered or is_harmless(node)):
            seen_through.update(map(id, (*node.args, *(item.value for item in node.keywords))))
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
            seen_through.update(map(id, node.iter.elts))
    return not any(
        id(node) not in seen_through
        for node in walk(home)
        if isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and text(node) == item.label
    )


def _are_read(case: Case) -> bool:
    """`norm = grad_norm(model)` after a backward: whether a function reads what was deposited."""
    frames = {
        id(event.frame): event.frame
        for event in case.plan.events
        if event.effect is CallEffect.DEPOSIT
    }
    called = (
        case.resolver.definition(node.func, frame)
        for frame in frames.values()
        for node in walk(frame.function.node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )
    return any(isinstance(target, Function) and _reads_gradients(target.node) for target in called)


def _run_by(home: ast.AST, item: BuiltOptimizer) -> list[ast.AST]:
    """Return a function with those of its module that it calls, by name, or the whole module."""
    found, todo = [home], [home]
    functions = item.event.frame.function.module.functions.values()
    while todo:
        called = {last_name(node.func) for node in walk(todo.pop()) if isinstance(node, ast.Call)}
        news = [
            function.node
            for function in functions
            if function.last_name in called and function.node not in found
        ]
        found += news
        todo += news
    return found


def _reads_gradients(home: ast.AST) -> bool:
    """Tell whether gradients are read, as attacks do: they need no step. To clear is no reading."""
    cleared = {
        id(node.value)
        for node in walk(home)
        if isinstance(node, ast.Attribute) and node.attr == "zero_"
    }
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "grad"
        and isinstance(node.ctx, ast.Load)
        and id(node) not in cleared
        for node in walk(home)
    )


def _home(item: BuiltOptimizer) -> ast.AST:
    """Return the text that can name it: its own function if that keeps it, else the module."""
    function = item.event.frame.function
    if "." in item.label or not function.name or item.label in function.scope.outside:
        return function.module.tree
    given = {
        text(argument)
        for node in walk(function.node)
        if isinstance(node, ast.Call) and not is_harmless(node)
        for argument in (*node.args, *(item.value for item in node.keywords))
    }
    return function.module.tree if item.label in given else function.node


def is_harmless(call: ast.Call) -> bool:
    """Tell whether a call takes an optimizer and never steps it: a scheduler's, a checkpoint's."""
    name = text(call.func)
    return re.search(HARMLESS, name) is not None or not LOOKING_WORDS.isdisjoint(
        words(last_name(call.func) or "")
    )


def is_switched_off(module: Module, label: str) -> bool:
    """`# opt.step()`: whether somebody turned the step into a comment."""
    step = rf"^\s*#+\s*{re.escape(label)}\.step\("
    return module.matches(re.compile(step, re.MULTILINE))


def _reached(case: Case, item: BuiltOptimizer) -> SourceEvent | None:
    several = len(built(case)) > 1
    for event in case.plan.events:
        if event.effect is not CallEffect.DEPOSIT or not loops_around(event):
            continue
        if not several:
            return event
        reached = reach_of(event, case.plan, case.resolver)
        if (
            item.atoms
            and reached.atoms
            and reached.complete
            and not parameter_sets.disjoint(item.atoms, reached.atoms)
        ):
            return event
    return None
