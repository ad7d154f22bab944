"""Runs a root with numbers: which deposits, steps and clears follow each other when counters count.

The abstract run keeps every path that a test allows, because it knows no numbers. A window is a
matter of numbers: `(i + 1) % k == 0`, a counter that is set back, `i == len(loader) - 1`. Here one
path is followed, with small numbers for what the source leaves open: how many batches an epoch
has, how long a window is meant to be. Tests that arithmetic answers are answered; of the others
the side is taken on which something happens.

Worked example, `for i, x in enumerate(loader)` with a step where `i % k == 0`, for `k = 3` and
seven batches: deposit, step, deposit, deposit, deposit, step, ... The first window holds one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events import events_of
from zerograd.lint.interpret.arithmetic import Arithmetic, Numbers
from zerograd.lint.interpret.planning import once, single
from zerograd.lint.program.flow import (
    Act,
    Bind,
    Branch,
    Guard,
    Leave,
    LeavingKind,
    LoopNode,
    Within,
)
from zerograd.lint.program.flow.graph import blocks
from zerograd.lint.program.syntax import argument, dotted, last_name
from zerograd.lint.values import spelling
from zerograd.record import field, record

if TYPE_CHECKING:
    from zerograd.lint.events import SourceEvent
    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.program.flow import Block, Node
    from zerograd.lint.program.relevance import Relevance
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

MOST_ROUNDS = 400
"""Rounds of all loops together that one run may take."""

LONG_LOOP = 64
"""Rounds of a loop over a known range; a longer one is run as often as was agreed."""

INDEX_NAMES = frozenset({"batch_idx", "batch_index", "batch_nb", "batch_id", "idx", "step_idx"})
"""How the index is called that a framework hands to a function which it runs once a batch."""


@record(frozen=True)
class Lengths:
    """The numbers of one run that the source leaves open."""

    batches: int
    """Rounds of the innermost loop around the deposit."""

    epochs: int = 2
    numbers: Numbers = field(default_factory=dict)
    """What expressions stand for that nothing else explains, by their spelling."""


@record(frozen=True, eq=False)
class CountedPair:
    """Whose window is counted."""

    deposit: SourceEvent
    step: SourceEvent
    test: ast.expr | None
    """What the step waits for."""

    loop: ast.AST | None
    """The innermost loop around the deposit, which runs over the batches."""

    questions: tuple[tuple[ast.expr, CallFrame], ...] = ()
    """What is asked at each deposit: divisors, the choice of a context."""

    decided: frozenset[ast.AST] = frozenset()
    """Branches without whose answers the run shows nothing."""


@record(eq=False)
class RunEvent:
    """Something that happened: an event, or the end of the deposit's innermost loop."""

    event: SourceEvent | None
    answers: tuple[int | None, ...] = ()
    """What the questions came to when it happened; only the deposit is asked."""


class CountedRun:
    """One run of a root over its flow, on one path, with numbers for its counters."""

    def __init__(
        self,
        plan: RootPlan,
        resolver: Resolver,
        relevance: Relevance,
        wanted: CountedPair,
        lengths: Lengths,
    ) -> None:
        self.plan, self.resolver, self.relevance = plan, resolver, relevance
        self.wanted, self.lengths = wanted, lengths
        self.inner = wanted.loop
        self.counters: Numbers = {}
        self.arithmetic = Arithmetic(resolver, self.counters, lengths.numbers)
        self.marks: list[RunEvent] = []
        self.rounds = 0
        self.lines = {
            (frame.function, getattr(node, "lineno", 0))
            for event in (wanted.deposit, wanted.step)
            for node, frame in ((event.node, event.frame), *event.frame.calls())
        }
        """Where the wanted events stand, and the calls that lead to them."""

    def root(self, *, repeated: bool) -> list[RunEvent] | None:
        """Run the root; None when it takes too many rounds, or a needed test has no answer."""
        flow, frame = self.relevance.flow(self.plan.frame.function), self.plan.frame
        if isinstance(self.inner, ast.For):
            # `nb = len(loader)` may be asked before the loop is met.
            self.turns(self.inner, self.wanted.deposit.frame)
        try:
            if repeated:
                self._repeat(flow, frame)
            else:
                self.block(flow, frame)
        except _OpenError:
            return None
        return self.marks

    def _repeat(self, flow: Block, frame: CallFrame) -> None:
        """Run what a framework runs once a batch, with the index that it hands over."""
        indices = [name for name in frame.function.scope.parameters if name in INDEX_NAMES]
        for _ in range(self.lengths.epochs):
            for index in range(self.lengths.batches):
                self.count_round()
                for name in indices:
                    self.counters[spelling.path_of(name, frame)] = index
                self.block(flow, frame)
            if self.inner is None:
                self.marks.append(RunEvent(None))

    def count_round(self) -> None:
        """Count one round of a loop."""
        self.rounds += 1
        if self.rounds > MOST_ROUNDS:
            raise _OpenError

    def block(self, block: Block, frame: CallFrame) -> LeavingKind:
        """Run a block and return the way out of it."""
        for node in block:
            self.resolver.budget.spend()
            way = self.node(node, frame)
            if way is not LeavingKind.FALL:
                return way
        return LeavingKind.FALL

    def node(self, node: Node, frame: CallFrame) -> LeavingKind:
        """Run one node."""
        if isinstance(node, Act):
            self.act(node, frame)
        elif isinstance(node, Bind):
            self.arithmetic.bind(node, frame)
        elif isinstance(node, Branch):
            return self.branch(node, frame)
        elif isinstance(node, LoopNode):
            return self.loop(node, frame)
        elif isinstance(node, Leave):
            return node.way
        elif isinstance(node, Guard):
            way = self.block([*node.body, *node.orelse], frame)
            last = self.block(node.final, frame)
            return way if last is LeavingKind.FALL else last
        elif isinstance(node, Within):
            return self.block(node.body, frame)
        return LeavingKind.FALL

    def act(self, node: Act, frame: CallFrame) -> None:
        """Write down the events of a statement; calls of the project's own are entered."""
        for part in node.parts:
            for event in events_of(part, frame, self.resolver, self.relevance):
                entered = event.enters or event.closure
                if entered is not None and event.inside is not None:
                    self.arithmetic.forget(event.inside)
                    self.block(self.relevance.flow(entered), event.inside)
                if event.gate is not None and not self.answered(event.gate, frame):
                    continue
                if event.effect is not None:
                    self.marks.append(RunEvent(event, self.asked(event)))

    def asked(self, event: SourceEvent) -> tuple[int | None, ...]:
        """Return the answers to the questions, where the event is the deposit."""
        if event.source != self.wanted.deposit.number:
            return ()
        return tuple(self.arithmetic.value(node, home) for node, home in self.wanted.questions)

    def answered(self, test: ast.expr, frame: CallFrame) -> int | None:
        """Return the answer to a test; the one that the window waits for must have one."""
        answer = self.arithmetic.value(test, frame)
        if answer is None and test is self.wanted.test:
            raise _OpenError
        return answer

    def takes(self, node: Branch, frame: CallFrame) -> bool:
        """Tell which side of a branch is taken: by its test, else where something happens."""
        answer = self.answered(node.test, frame)
        if answer is not None:
            return bool(answer)
        if node.stmt in self.wanted.decided:
            raise _OpenError
        sides = [self.holds(side, frame) for side in (node.then, node.other)]
        if sides[0] is not sides[1]:
            return sides[0]
        return not any(isinstance(item, Leave) for item in node.then)

    def branch(self, node: Branch, frame: CallFrame) -> LeavingKind:
        """Run the side that is taken, unless all that it does is to take a known number away.

        `start = 0`, then `if resume: start = checkpoint["epoch"]`: the run that is not resumed.
        """
        counters, marks = dict(self.counters), len(self.marks)
        side = node.then if self.takes(node, frame) else node.other
        way = self.block(side, frame)
        if len(self.marks) > marks or self.answered(node.test, frame) is not None:
            return way
        lost = [
            path
            for path, known in counters.items()
            if known is not None and self.counters.get(path) is None
        ]
        self.counters.update({path: counters[path] for path in lost})
        return way

    def holds(self, block: Block, frame: CallFrame) -> bool:
        """Tell whether a block holds one of the wanted events, or a call that leads to one."""
        todo = list(block)
        while todo:
            node = todo.pop()
            if isinstance(node, Act):
                first = getattr(node.stmt, "lineno", 0)
                last = getattr(node.stmt, "end_lineno", first)
                if any(
                    function is frame.function and first <= line <= last
                    for function, line in self.lines
                ):
                    return True
            todo.extend(item for inner in blocks(node) for item in inner)
        return False

    def loop(self, node: LoopNode, frame: CallFrame) -> LeavingKind:
        """Run a loop's rounds; what is done to each parameter or optimizer is done once."""
        stmt = node.stmt
        if once(node, frame, self.resolver) or single(node, frame, self.resolver):
            way = self.block(node.body, frame)
            return way if way in (LeavingKind.RETURN, LeavingKind.RAISE) else LeavingKind.FALL
        for names in self.turns(stmt, frame):
            self.count_round()
            for name in node.names:
                self.counters[spelling.path_of(name, frame)] = names.get(name)
            if isinstance(stmt, ast.While) and self.arithmetic.value(stmt.test, frame) == 0:
                break
            way = self.block(node.body, frame)
            if way is LeavingKind.BREAK:
                break
            if way in (LeavingKind.RETURN, LeavingKind.RAISE):
                return way
        if stmt is self.inner:
            self.marks.append(RunEvent(None))
        return self.block(node.orelse, frame)

    def turns(self, stmt: ast.AST, frame: CallFrame) -> list[dict[str, int | None]]:
        """Return what a loop's variables stand for, round by round."""
        rounds = self.lengths.batches if stmt is self.inner else self.lengths.epochs
        if not isinstance(stmt, ast.For | ast.AsyncFor):
            return [{}] * self.whiles(stmt)
        over = walked(stmt.iter, frame)
        if isinstance(over, ast.Call) and last_name(over.func) in ("range", "trange"):
            name = dotted(stmt.target) or ""
            return [{name: index} for index in self.range(over, rounds, frame)]
        if isinstance(over, ast.Call) and last_name(over.func) == "enumerate":
            start = argument(over, 1, "start")
            first = self.arithmetic.value(start, frame) if start is not None else 0
            name = _first_target(stmt.target)
            length = self.length(over.args[0] if over.args else over, rounds, frame)
            return [{name: first + index if first is not None else None} for index in range(length)]
        return [{}] * self.length(over, rounds, frame)

    def whiles(self, stmt: ast.AST) -> int:
        """Return how often a `while` runs at most: once an epoch around a loop over batches."""
        if (
            self.wanted.test is not None
            and isinstance(self.inner, ast.For)
            and stmt is not self.inner
        ):
            return self.lengths.epochs
        return self.lengths.batches * self.lengths.epochs

    def range(self, call: ast.Call, rounds: int, frame: CallFrame) -> list[int | None]:
        """Return the numbers of a `range(...)`, as far as its bounds are known."""
        bounds = [self.arithmetic.value(item, frame) for item in call.args]
        start, stop, stride = {1: (0, *bounds, 1), 2: (*bounds, 1)}.get(len(bounds), bounds)
        if start is None or stride is None or stride == 0:
            return [None] * rounds
        agreed = range(start, start + rounds * stride, stride)
        if stop is None or rounds == self.lengths.epochs:
            return list(agreed)
        found = range(start, stop, stride)
        return list(found if len(found) <= LONG_LOOP else agreed)

    def length(self, over: ast.expr, rounds: int, frame: CallFrame) -> int:
        """Return how often a loop over something runs: a known range's length, else as agreed."""
        over = unwrapped(over)
        if isinstance(over, ast.Call) and last_name(over.func) == "range":
            return len(self.range(over, rounds, frame))
        spelled = spelling.spell(over, frame).text
        known = self.arithmetic.numbers.setdefault(f"len({spelled})", rounds)
        return known if known is not None else rounds


class _OpenError(Exception):
    """A run that shows nothing: too many rounds, or a window's test that nothing answers."""


def walked(over: ast.expr, frame: CallFrame) -> ast.expr:
    """Return what a loop walks, where its name was given before the loop.

    `pbar = enumerate(loader)`, `if rank == 0: pbar = tqdm(pbar)`, `for i, batch in pbar:`
    """
    over = unwrapped(over)
    if not isinstance(over, ast.Name):
        return over
    found, home = spelling.bindings_of(over, frame)
    given = [unwrapped(item.value) for item in found if item.value is not None]
    made = [item for item in given if not (isinstance(item, ast.Name) and item.id == over.id)]
    call = made[0] if len(made) == 1 and home is frame else None
    counts = ("range", "trange", "enumerate")
    return call if isinstance(call, ast.Call) and last_name(call.func) in counts else over


def unwrapped(over: ast.expr) -> ast.expr:
    """Return what a progress bar or the like is put around."""
    while (
        isinstance(over, ast.Call)
        and last_name(over.func) not in ("range", "trange", "enumerate", "zip", "islice")
        and over.args
        and last_name(over.func) in ("tqdm", "track", "iter", "list", "tqdm_notebook", "progress")
    ):
        over = over.args[0]
    return over


def _first_target(target: ast.expr) -> str:
    first = target.elts[0] if isinstance(target, ast.Tuple | ast.List) and target.elts else target
    return dotted(first) or ""
