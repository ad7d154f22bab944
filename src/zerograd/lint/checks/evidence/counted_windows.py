"""Windows as they are counted: runs with small lengths, and how many deposits each step finds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.accumulation import SumFacts
from zerograd.lint.checks.evidence.case import loops_around, tests_around
from zerograd.lint.checks.evidence.divisors import number_of
from zerograd.lint.checks.evidence.windows import AbstractWindow, moduli, spelled_out
from zerograd.lint.interpret.counted_run import CountedPair, CountedRun, Lengths
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import dotted, last_name, walk
from zerograd.lint.values import spelling
from zerograd.record import field, record

if TYPE_CHECKING:
    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.counted_run import RunEvent
    from zerograd.lint.values.value import CallFrame

TRIED = (3, 4)
"""How long a window is taken to be whose length the source leaves open."""

WINDOWS = 4
"""Whole windows in an epoch of a run."""

LONGEST = 16
"""A window of a known length that is still counted."""

Question = tuple[ast.expr, "CallFrame"]


@record(eq=False)
class FilledWindow:
    """One window as a step found it."""

    size: int
    epoch: int
    """The epoch in which it was spent."""

    carried: int = 0
    """Those of its deposits that were made in an epoch before."""

    schedules: dict[int, int] = field(default_factory=dict)
    """How often each schedule advanced since the step before, by the number of its event."""

    answers: list[tuple[int | None, ...]] = field(default_factory=list)
    """What was asked at its deposits."""


@record(eq=False)
class CountedWindows:
    """One run: its windows, and what became of deposits that no step found."""

    length: int
    batches: int
    filled: list[FilledWindow] = field(default_factory=list)
    thrown: int = 0
    """Deposits that a clear threw away between two epochs."""

    left: int = 0
    """Deposits that lay there when the run ended."""

    @property
    def first_epoch(self) -> list[int]:
        """The sizes of the first epoch's windows."""
        return [item.size for item in self.filled if item.epoch == 0]

    @property
    def regular(self) -> int | None:
        """The size of all windows of the first epoch but its first and last, if they agree."""
        inside = set(self.first_epoch[1:-1])
        return inside.pop() if len(inside) == 1 else None

    @property
    def leaks(self) -> bool:
        """Whether a window with deposits of two epochs holds more or fewer than the others."""
        return any(0 < item.carried < item.size != self.regular for item in self.filled)

    @property
    def drops(self) -> bool:
        """Whether deposits at the end of an epoch were cleared, or never spent."""
        return self.thrown > 0 or self.left > 0


def sum_facts(case: Case, window: AbstractWindow) -> SumFacts:
    """Return whether the deposit can lie at the step twice, untouched by anything else.

    `if i % k == 0: zero_grad()`, then the step where `(i + 1) % k == 0`: which paths go together
    only numbers tell, so that where no path shows two deposits the windows are counted.
    """
    met = case.meetings(window.step, window.at)
    lying = [
        item
        for seen in met
        for item in seen.account.fresh
        if item.source == window.deposit.number and item.many
    ]
    runs = counted(case, window) if not lying and window.test is not None else []
    several = bool(runs) and all(run.regular == run.length > 1 for run in runs)
    return SumFacts(
        several=bool(lying) or several,
        written=any(seen.account.written for seen in met),
        singly=not several and all(item.rival >= 0 for item in lying),
    )


def counted(
    case: Case, window: AbstractWindow, questions: tuple[Question, ...] = ()
) -> list[CountedWindows]:
    """Return the runs of a window that waits for a test; none where the test has no answer."""
    key = f"counted {window.deposit.number} {window.step.number} {window.at} {len(questions)}"
    found = case.memory.get(key)
    if not isinstance(found, list):
        found = case.memory[key] = _counted(case, window, questions)
    return found


def _counted(
    case: Case, window: AbstractWindow, questions: tuple[Question, ...]
) -> list[CountedWindows]:
    if window.gated:
        return []
    wanted = CountedPair(window.deposit, window.step, window.test, window.loop, questions)
    runs: list[CountedWindows] = []
    for length in _tried(case, window):
        for batches in _batches(window, length):
            numbers = _numbers(window, length, batches)
            run = CountedRun(
                case.plan, case.resolver, case.relevance, wanted, Lengths(batches, 2, numbers)
            )
            marks = run.root(repeated=case.repeated)
            if marks is None:
                return []
            runs.append(_read(marks, window, length, batches))
    return runs


def _batches(window: AbstractWindow, length: int) -> tuple[int, ...]:
    """Return how often the deposit's own loop runs: as long as a window that has it for itself."""
    return (length,) if window.inner else (WINDOWS * length, WINDOWS * length + 1)


def _tried(case: Case, window: AbstractWindow) -> tuple[int, ...]:
    """Return the lengths to try: the one that the source gives, or two small ones."""
    if window.test is None:
        return TRIED
    known = [number_of(node, home, case) for node, home in moduli(window)]
    if not known or known[0] is None:
        return TRIED
    return (known[0],) if 1 < known[0] <= LONGEST else ()


def _numbers(window: AbstractWindow, length: int, batches: int) -> dict[str, int | None]:
    """Give numbers to what the window's test leaves open, by its spelling.

    What the test divides by is the window's length. What else a counter is compared with is the
    number of batches where there is a modulo too, `i % k == 0 or i == last`; else the length.
    """
    if window.test is None:
        over = getattr(window.loop, "iter", None)
        bounds = over.args if isinstance(over, ast.Call) else []
        return {
            spelling.spell(item, window.deposit.frame).text: length
            for item in bounds[:1]
            if not isinstance(item, ast.Constant)
        }
    found = list(moduli(window))
    divided = {spelling.spell(node, home).text for node, home in found if not _is_len(node)}
    numbers: dict[str, int | None] = dict.fromkeys(divided, length)
    ends = [item for item in found if _is_len(item[0])]
    test, frame = spelled_out(window), window.asked[0][1]
    for node in walk(test) if test is not None else ():
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        for name in (item for side in (node.left, *node.comparators) for item in _open(side)):
            if _is_len(name):
                ends.append((name, frame))
            elif not _counts(name, frame):
                spelled = spelling.spell(name, frame).text
                numbers.setdefault(spelled, batches if divided else length)
    for node, home in ends:
        assert isinstance(node, ast.Call)
        numbers.setdefault(f"len({spelling.spell(node.args[0], home).text})", batches)
    return numbers


def _is_len(node: ast.expr) -> bool:
    """`len(loader)`: how many batches there are."""
    return isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1


def lengths(window: AbstractWindow) -> set[str]:
    """Return what the window's length is spelled as, where the source leaves that open."""
    return {spelled for spelled, number in _numbers(window, 1, 0).items() if number == 1}


def compares_with_the_end(window: AbstractWindow) -> bool:
    """`... or i == len(loader)`: whether the test means to hold at the last batch too."""
    test = spelled_out(window)
    return (
        isinstance(test, ast.BoolOp)
        and isinstance(test.op, ast.Or)
        and any(
            isinstance(item, ast.Call) and last_name(item.func) == "len"
            for part in test.values
            for item in walk(part)
        )
    )


def _open(side: ast.expr) -> list[ast.expr]:
    """Return the names, attributes and lengths in one side of a comparison, moduli apart."""
    todo, found = [side], list[ast.expr]()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.BinOp):
            # What else is computed, `len(dataset) // size`, is nobody's last index for sure.
            if isinstance(node.op, ast.Add | ast.Sub | ast.Mod):
                todo.append(node.left)
            if isinstance(node.op, ast.Add | ast.Sub):
                todo.append(node.right)
        elif isinstance(node, ast.Name | ast.Attribute) or _is_len(node):
            found.append(node)
    return found


def _counts(node: ast.expr, frame: CallFrame) -> bool:
    """Tell whether a name is itself a counter: a loop's variable, or counted up."""
    found, _ = spelling.bindings_of(node, frame)
    name, owner = dotted(node) or "", frame.function.owner
    if owner is not None and name.startswith(f"{frame.function.self_name}."):
        attr = name.partition(".")[2]
        found = [item for _, items in owner.assignments(attr) for item in items]
    return any(item.how in (BindingKind.ITERATED, BindingKind.CHANGED) for item in found)


def _read(
    marks: list[RunEvent], window: AbstractWindow, length: int, batches: int
) -> CountedWindows:
    """Fill windows with the deposits of a run, in the order in which things happened."""
    run = CountedWindows(length, batches)
    epoch, now = 0, FilledWindow(0, 0)
    for mark in marks:
        event = mark.event
        if event is None:
            epoch += 1
            now.carried = now.size
        elif event.effect is CallEffect.DEPOSIT and event.source == window.deposit.number:
            now.size += 1
            now.answers.append(mark.answers)
        elif event.effect is CallEffect.SCHEDULE:
            now.schedules[event.number] = now.schedules.get(event.number, 0) + 1
        elif window.at not in event.must:
            continue
        elif event.effect is CallEffect.STEP:
            now.epoch = epoch
            run.filled += [now] if now.size else []
            now = FilledWindow(0, epoch)
        elif event.effect is CallEffect.CLEAR and now.size:
            run.thrown += now.carried
            now = FilledWindow(0, epoch)
    run.left = now.size
    return run


def clears_in_time(case: Case, deposit: SourceEvent, step: SourceEvent, at: int) -> bool:
    """Tell whether counting shows that no step finds spent deposits under fresh ones.

    `if step > 0: optimizer.zero_grad()` at the head of a loop leaves out the one round in which
    there is nothing to clear. Only where numbers answer every test around a clear.
    """
    key = f"clears in time {deposit.number} {step.number} {at}"
    found = case.memory.get(key)
    if not isinstance(found, bool):
        found = case.memory[key] = _clears_in_time(case, deposit, step, at)
    return found


def _clears_in_time(case: Case, deposit: SourceEvent, step: SourceEvent, at: int) -> bool:
    clears = [event for event in case.touching(at, CallEffect.CLEAR) if at in event.must]
    tests = frozenset(node for event in clears for node, _ in tests_around(event))
    if not tests:
        return False
    loops = loops_around(deposit)
    wanted = CountedPair(deposit, step, None, loops[-1] if loops else None, decided=tests)
    run = CountedRun(case.plan, case.resolver, case.relevance, wanted, Lengths(WINDOWS))
    marks = run.root(repeated=case.repeated)
    return marks is not None and not _finds_spent(marks, at)


def _finds_spent(marks: list[RunEvent], at: int) -> bool:
    """Tell whether a step of an account spends on top of what it spent before."""
    fresh = spent = False
    for event in (mark.event for mark in marks):
        if event is None or at not in event.must:
            continue
        if event.effect is CallEffect.DEPOSIT:
            fresh = True
        elif event.effect is CallEffect.CLEAR:
            fresh = spent = False
        elif event.effect is CallEffect.STEP:
            if fresh and spent:
                return True
            fresh, spent = False, True
    return False
