"""Windows as the accounts show them: which deposits can lie twice at which step, and why."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.checks.evidence.case import Case, loops_around
from zerograd.lint.checks.evidence.switches import (
    WindowSpan,
    is_own_switch,
    lasts_for_windows,
)
from zerograd.lint.events.event import Enclosing, EnclosingKind, SourceEvent
from zerograd.lint.events.receivers import is_told_to_divide
from zerograd.lint.interpret.conditions import Leaf, condition, leaves
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.knowledge.name_heuristics import WINDOW_WORDS
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import dotted, kept, last_name, text, walk
from zerograd.lint.values import spelling
from zerograd.lint.values.inlined_calls import answers_about, inlined
from zerograd.record import record
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.program.module import Function
    from zerograd.lint.values.value import CallFrame


@record(frozen=True, eq=False)
class AbstractWindow:
    """One deposit that a step may find lying there more than once."""

    deposit: SourceEvent
    step: SourceEvent
    at: int
    test: ast.expr | None
    """The test that the step waits for, unless the deposit has a loop of its own."""

    frame: CallFrame
    loop: ast.AST | None
    """The innermost loop of the deposit."""

    gated: bool = False
    """Accelerate's `accumulate()` decides."""

    meaning: tuple[ast.expr, CallFrame] | None = None
    """What the test asks, where a small function or property answers it."""

    @property
    def asked(self) -> list[tuple[ast.expr, CallFrame]]:
        """The test as it is to be read: itself, or what the function returns that it calls."""
        if self.test is None:
            return []
        return [self.meaning or (self.test, self.frame)]

    @property
    def span(self) -> WindowSpan:
        """Where its micro-batches follow each other."""
        written = [self.test] if self.test is not None else []
        tests = (*written, *(test for test, _ in self.asked))
        return WindowSpan(self.loop, self.deposit.frame, tests)

    @property
    def inner(self) -> bool:
        """The deposit has a loop that the step does not stand in."""
        return self.test is None and not self.gated


def windows(case: Case) -> list[AbstractWindow]:
    """List the windows of a root; a source also deposited under the step's test is a cadence."""
    found = case.memory.get("windows")
    if not isinstance(found, list):
        found = case.memory["windows"] = _windows(case)
    return found


def _windows(case: Case) -> list[AbstractWindow]:
    found: dict[tuple[int, int, int], AbstractWindow] = {}
    for seen in case.steps():
        if seen.account.written:
            continue
        for item in seen.account.fresh:
            key = (item.source, seen.event.number, seen.at)
            if key in found or not case.owned(item.source, seen.at):
                continue
            window = _window(case, case.event(item.source), seen.event, seen.at)
            if window is not None:
                found[key] = window
    return [
        window
        for window in found.values()
        if not (_cadence(case, window) or _spent_either_way(window))
    ]


def _window(case: Case, deposit: SourceEvent, step: SourceEvent, at: int) -> AbstractWindow | None:
    common = _common(deposit.context, step.context)
    below = step.context[common:]
    own = deposit.context[common:]
    around = loops_around(deposit)
    loop = around[-1] if around else None
    if is_gated(step):
        found = AbstractWindow(deposit, step, at, None, step.frame, loop, gated=True)
        return found if _is_long(step, case) else None
    if any(item.place is EnclosingKind.LOOP for item in own) and not any(
        item.place is EnclosingKind.LOOP for item in below
    ):
        if _stepped_inside(case, at, loop) or _turns_once(case, deposit, loop):
            return None
        return AbstractWindow(deposit, step, at, None, step.frame, loop)
    if (
        not any(item.place is EnclosingKind.LOOP for item in deposit.context[:common])
        and not case.repeated
    ):
        return None
    waits = _waits_for(case, deposit, step, below)
    if waits is None:
        return None
    meaning = inlined(*waits, case.resolver)
    return AbstractWindow(deposit, step, at, *waits, loop, meaning=meaning)


def _turns_once(case: Case, deposit: SourceEvent, loop: ast.AST | None) -> bool:
    """Tell whether a deposit runs only where its loop has one round.

    `for _ in range(n):` with `if n <= 1: loss.backward()` in it.
    """
    turns = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(turns, ast.Call) or last_name(turns.func) != "range" or len(turns.args) != 1:
        return False
    several = f"1 < {spelling.spell(turns.args[0], deposit.frame).text}"
    for item in deposit.context:
        test = getattr(item.node, "test", None)
        if item.place is not EnclosingKind.THEN or test is None:
            continue
        found = condition(test, item.frame, case.resolver)
        sure = leaves(found) if isinstance(found, Leaf) or found.every else []
        if any(leaf.key == several and not leaf.positive for leaf in sure):
            return True
    return False


def _waits_for(
    case: Case, deposit: SourceEvent, step: SourceEvent, below: tuple[Enclosing, ...]
) -> tuple[ast.expr, CallFrame] | None:
    """Return the test that a step waits for and its deposit does not."""
    for item in below:
        if item.place in (EnclosingKind.THEN, EnclosingKind.OTHER):
            test = getattr(item.node, "test", None)
            if test is not None and is_window_test(test, item, case):
                return test, item.frame
    if step.gate is not None:
        return step.gate, step.frame
    skip, frame = _skip_between(deposit, step)
    if skip is not None and is_window_test(
        skip.test, Enclosing(EnclosingKind.OTHER, skip, frame), case
    ):
        return skip.test, frame
    return None


def _is_long(step: SourceEvent, case: Case) -> bool:
    """Tell whether Accelerate was told of windows; else `accumulate()` does nothing."""
    for item in step.context:
        for entry in getattr(item.node, "items", []) if item.place is EnclosingKind.WITH else []:
            call = entry.context_expr
            if isinstance(call, ast.Call) and last_name(call.func) == "accumulate":
                return is_told_to_divide(call, item.frame, case.resolver)
    return True


def _skip_between(deposit: SourceEvent, step: SourceEvent) -> tuple[ast.If | None, CallFrame]:
    """`if not due: continue` between a deposit and its step: the step waits for the test.

    Either may stand in a function that is called there.
    """
    made = {id(frame): node for node, frame in _ways_to(deposit)}
    for node, frame in _ways_to(step):
        if id(frame) not in made:
            continue
        first, last = getattr(made[id(frame)], "lineno", 0), getattr(node, "lineno", 0)
        for skip, after in skips(frame.function.node):
            if first < skip.lineno and after[0].lineno <= last <= (after[-1].end_lineno or 0):
                return skip, frame
        break
    return None, step.frame


def is_skipped(step: SourceEvent, deposit: SourceEvent) -> bool:
    """Tell whether a round may be left before its step, and after its deposit."""
    made = {id(frame): getattr(node, "lineno", 0) for node, frame in _ways_to(deposit)}
    for node, frame in _ways_to(step):
        line = getattr(node, "lineno", 0)
        for skip, after in skips(frame.function.node):
            is_below = after[0].lineno <= line <= (after[-1].end_lineno or 0)
            if is_below and made.get(id(frame), 0) < skip.lineno:
                return True
    return False


def _ways_to(event: SourceEvent) -> list[tuple[ast.AST, CallFrame]]:
    """Return an event and the calls that lead to it, innermost first, with their frames."""
    return [(event.node, event.frame), *event.frame.calls()]


@kept
def skips(function: ast.AST) -> list[tuple[ast.If, list[ast.stmt]]]:
    """Return every `if` of a function that only leaves the round, with what it skips."""
    found: list[tuple[ast.If, list[ast.stmt]]] = []
    for node in walk(function):
        body = getattr(node, "body", [])
        for at, stmt in enumerate(body) if isinstance(body, list) else ():
            if (
                isinstance(stmt, ast.If)
                and not stmt.orelse
                and isinstance(stmt.body[-1], ast.Continue | ast.Return)
                and body[at + 1 :]
            ):
                found.append((stmt, body[at + 1 :]))
    return found


def _stepped_inside(case: Case, at: int, loop: ast.AST | None) -> bool:
    """Tell whether a step stands in the deposit's own loop: one outside takes what is left."""
    return any(
        event.effect is CallEffect.STEP and at in event.must and inside(event, loop)
        for event in case.plan.events
    )


def _common(one: tuple[Enclosing, ...], other: tuple[Enclosing, ...]) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a.node is not b.node or a.place is not b.place or a.frame is not b.frame:
            break
        length += 1
    return length


def is_gated(event: SourceEvent) -> bool:
    """Tell whether an event stands in Accelerate's `accumulate()`."""
    for item in event.context:
        for entry in getattr(item.node, "items", []) if item.place is EnclosingKind.WITH else []:
            call = entry.context_expr
            if isinstance(call, ast.Call) and last_name(call.func) == "accumulate":
                return True
    return False


def is_window_test(test: ast.expr, around: Enclosing, case: Case) -> bool:
    """Tell whether a test has a modulo, a counter that is reset, or a name of accumulation."""
    found = condition(test, around.frame, case.resolver)
    if isinstance(found, Leaf) and found.known is not None:
        return False
    if has_word(text(test), WINDOW_WORDS):
        return True
    if answers_about(test, around.frame, case.resolver, WINDOW_WORDS):
        return True
    return any(_counts(leaf) or _is_counter(leaf, around) for leaf in leaves(found))


def _counts(leaf: Leaf) -> bool:
    return "Mod(" in leaf.key or has_word(leaf.key.rpartition("|")[2], WINDOW_WORDS)


def _is_counter(leaf: Leaf, around: Enclosing) -> bool:
    """Tell whether a name is counted up and set back in the same function."""
    function = around.frame.function
    for operand in leaf.operands:
        name = operand.rpartition("|")[2]
        hows = [item.how for item in function.scope.bindings.get(name, ())]
        if BindingKind.CHANGED in hows and hows.count(BindingKind.ASSIGNED) >= 2:
            return True
        if not hows and _is_kept_counter(name.rpartition(".")[2], function):
            return True
    return False


def _is_kept_counter(attr: str, function: Function) -> bool:
    """`self.seen += 1` and `self.seen = 0`, besides the one in `__init__`."""
    if function.owner is None:
        return False
    hows = [
        item.how
        for method, items in function.owner.assignments(attr)
        for item in items
        if method.last_name != "__init__"
    ]
    return BindingKind.CHANGED in hows and BindingKind.ASSIGNED in hows


def _cadence(case: Case, window: AbstractWindow) -> bool:
    """Tell whether a further source deposits under the step's test."""
    if window.test is None:
        return False
    twins = made_either_way(case, window.deposit)
    for event in case.plan.events:
        if event.effect is not CallEffect.DEPOSIT or event is window.deposit or event in twins:
            continue
        if window.at in (*event.must, *event.may) and under(event, window.test):
            return True
    return not twins and under(window.deposit, window.test)


def made_either_way(case: Case, deposit: SourceEvent) -> list[SourceEvent]:
    """Return the deposits of the same loss on the other side of a test."""
    return [event for event in case.plan.events if event.same_as == deposit.number]


def _spent_either_way(window: AbstractWindow) -> bool:
    """Tell whether the other side of the window's test steps too: nothing waits for it."""
    for item in window.step.context:
        if window.test is None or getattr(item.node, "test", None) is not window.test:
            continue
        other = "orelse" if item.place is EnclosingKind.THEN else "body"
        block = getattr(item.node, other, None)
        for stmt in block if isinstance(block, list) else []:
            for node in walk(stmt):
                if isinstance(node, ast.Call) and last_name(node.func) == "step":
                    return True
    return False


def spelled_out(window: AbstractWindow) -> ast.expr | None:
    """Return the window's test with a flag replaced by what it was assigned from."""
    for test, frame in window.asked:
        found = [
            item
            for item in frame.function.scope.bindings.get(dotted(test) or "", ())
            if item.how is BindingKind.ASSIGNED
        ]
        if len(found) == 1 and found[0].value is not None:
            return found[0].value
        return test
    return None


def under(event: SourceEvent, test: ast.expr) -> bool:
    """Tell whether an event stands under a test, or under one that reads the same."""
    spelled = ast.dump(test)
    for item in event.context:
        if item.place in (EnclosingKind.THEN, EnclosingKind.OTHER):
            other = getattr(item.node, "test", None)
            if other is not None and (other is test or ast.dump(other) == spelled):
                return True
    return any(
        skip.test is test
        and after[0].lineno <= getattr(node, "lineno", 0) <= (after[-1].end_lineno or 0)
        for node, frame in _ways_to(event)
        for skip, after in skips(frame.function.node)
    )


def inside(event: SourceEvent, loop: ast.AST | None) -> bool:
    """Tell whether an event stands in a loop."""
    return loop is not None and loop in loops_around(event)


def each_micro_batch(event: SourceEvent, window: AbstractWindow) -> bool:
    """Tell whether an event happens at every deposit of a window, not once a window."""
    # Without a loop of its own the whole root is one round.
    if not (window.loop is None or inside(event, window.loop)):
        return False
    if window.gated:
        # Accelerate holds back its own optimizers and schedules, and clips whenever it is told.
        return event.effect is CallEffect.CLIP and not waits_for_sync(event, window)
    if window.test is None:
        return True
    return not under(event, window.test) and not held_back_by(event, window)


def happens_either_way(case: Case, event: SourceEvent, window: AbstractWindow) -> bool:
    """`if step < warmup: clip(..., 10) else: clip(..., 1)`: whether both sides of a test do it."""
    mine = held_back_by(event, window)
    if window.test is None or len(mine) != 1 or under(event, window.test):
        return False
    node, place = next(iter(mine))
    other = EnclosingKind.OTHER if place is EnclosingKind.THEN else EnclosingKind.THEN
    return any(
        item.effect is event.effect
        and window.at in item.must
        and held_back_by(item, window) == {(node, other)}
        for item in case.plan.events
    )


def held_back_by(
    event: SourceEvent, window: AbstractWindow
) -> frozenset[tuple[int, EnclosingKind]]:
    """Return the sides of tests that some micro-batches of a window may pass, and some not."""
    passed = {(id(item.node), item.place) for item in window.deposit.context}
    return frozenset(
        (id(item.node), item.place)
        for item in event.context
        if item.place in (EnclosingKind.THEN, EnclosingKind.OTHER)
        and (id(item.node), item.place) not in passed
        and not (is_own_switch(item, event) or lasts_for_windows(item, event, window.span))
    )


def waits_for_sync(event: SourceEvent, window: AbstractWindow) -> bool:
    """`if accelerator.sync_gradients:`, or any other test that the deposit does not wait for."""
    return bool(held_back_by(event, window))


def moduli(window: AbstractWindow) -> Iterator[tuple[ast.expr, CallFrame]]:
    """Return the expressions that a window test divides by, names followed."""
    todo: list[tuple[ast.AST, CallFrame, int]] = [(*item, 0) for item in window.asked]
    while todo:
        node, home, depth = todo.pop()
        for item in walk(node):
            if isinstance(item, ast.BinOp) and isinstance(item.op, ast.Mod):
                yield item.right, home
            elif isinstance(item, ast.Name) and depth < 2:
                todo.extend(
                    (binding.value, home, depth + 1)
                    for binding in home.function.scope.bindings.get(item.id, ())
                    if binding.value is not None and binding.how is BindingKind.ASSIGNED
                )
