"""Read from the source whether a loop's window is meant, and which test a step is under.

Each file is parsed once, and each line is asked about once. A file that cannot be read shows
nothing, which leads to no finding.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lifecycle import Loop
from zerograd.source.lines import CallSite, Line
from zerograd.source.names import has_word
from zerograd.source.parsing import enclosing
from zerograd.source.sums import first_store, first_sum

if TYPE_CHECKING:
    from collections.abc import Iterator

_ACCUMULATION = ("accum", "micro", "virtual", "iter_size", "update_freq")
_TASKS = re.compile(
    r"(^|_)(tasks?|time_?steps?|t|seq|episodes?|eps?|agents?|heads?|losses|domains?)(_|$)",
    re.IGNORECASE,
)

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

# A function that looks at its own locals may keep the very dictionary that we would empty.
_INTROSPECTION = {"locals", "vars", "eval", "exec", "dir"}


class Reader:
    """Answers by source, each once."""

    def __init__(self) -> None:
        self._loops: dict[CallSite, Loop] = {}
        self._conditions: dict[CallSite, tuple[bool, CallSite | None]] = {}
        self._sums: dict[CallSite, CallSite] = {}

    def loop(self, source: CallSite) -> Loop:
        """Return what is shown about the loop around a deposit."""
        loop = self._loops.get(source)
        if loop is None:
            loop = self._loops[source] = _loop(source)
        return loop

    def condition(self, source: CallSite) -> tuple[bool, CallSite | None]:
        """Return whether a step is under a test with a modulo, and the line of that test."""
        known = self._conditions.get(source)
        if known is None:
            known = self._conditions[source] = _condition(source)
        return known

    def keeper(self, source: CallSite) -> CallSite:
        """Return the line that keeps what was deposited at a source; the source if none shows."""
        if source not in self._sums:
            self._sums[source] = first_sum(_lines(source)) or first_store(_lines(source)) or source
        return self._sums[source]


def loop_targets(line: Line) -> tuple[str, ...]:
    """Return the names that the `for` loops around a line bind, the outermost first."""
    chain = enclosing(line)
    if not chain or _looks_at_itself(chain[0]):
        return ()
    loops = [node for node in chain if isinstance(node, ast.For | ast.AsyncFor)]
    return tuple(name for loop in loops if (name := _first_name(loop.target)))


def _first_name(target: ast.expr) -> str | None:
    """Return a loop's counter: its target, or of `for i, batch in enumerate(...)` the first."""
    if isinstance(target, ast.Tuple) and target.elts:
        target = target.elts[0]
    return target.id if isinstance(target, ast.Name) else None


def _looks_at_itself(function: ast.AST) -> bool:
    if isinstance(function, ast.Module):
        return False
    return any(isinstance(n, ast.Name) and n.id in _INTROSPECTION for n in ast.walk(function))


def _loop(source: CallSite) -> Loop:
    chains = [enclosing(line) for line in _lines(source)]
    functions = [chain[0] for chain in chains if chain]
    if not functions:
        return Loop()
    return Loop(
        meant=any(_shows_window(chain) for chain in chains if chain),
        declared=any(has_word(name, _ACCUMULATION) for one in functions for name in _names(one)),
        per_task=any(_runs_over_tasks(chain) for chain in chains),
    )


def _lines(source: CallSite) -> list[Line]:
    return [line for line in (source.line, source.caller) if line is not None]


def _condition(source: CallSite) -> tuple[bool, CallSite | None]:
    for line in _lines(source):
        tests = [node.test for node in enclosing(line) if isinstance(node, ast.If)]
        for test in reversed(tests):
            if _has_modulo(test):
                return True, CallSite(Line(line.path, test.lineno, line.function))
    return False, None


def _shows_window(chain: tuple[ast.AST, ...]) -> bool:
    function, loops = chain[0], [node for node in chain if isinstance(node, _LOOPS)]
    if any(_has_modulo(test) for test in _tests(function)):
        return True
    if any(isinstance(node, (ast.With, ast.AsyncWith)) and _accumulates(node) for node in chain):
        return True
    # An inner loop that deposits, in an outer one that steps.
    return len(loops) > 1 and not _steps(loops[-1]) and any(_steps(loop) for loop in loops[:-1])


def _tests(function: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield node.test
        elif isinstance(node, ast.Assign):
            yield node.value


def _has_modulo(test: ast.expr) -> bool:
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and not isinstance(node.left, (ast.Constant, ast.JoinedStr))
        for node in ast.walk(test)
    )


def _accumulates(node: ast.With | ast.AsyncWith) -> bool:
    return any(
        isinstance(item.context_expr, ast.Call)
        and isinstance(item.context_expr.func, ast.Attribute)
        and item.context_expr.func.attr == "accumulate"
        for item in node.items
    )


def _steps(node: ast.AST) -> bool:
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "step"
        for call in ast.walk(node)
    )


def _runs_over_tasks(chain: tuple[ast.AST, ...]) -> bool:
    loops = [node for node in chain if isinstance(node, (ast.For, ast.AsyncFor))]
    if not loops:
        return False
    innermost = loops[-1]
    return any(
        _TASKS.search(name) for part in (innermost.target, innermost.iter) for name in _names(part)
    )


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
