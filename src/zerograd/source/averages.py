"""Find the line in a training loop that updates an average of the weights."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.source.lines import CallSite, Line
from zerograd.source.parsing import enclosing, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator

AVERAGES = re.compile(
    r"(?:^|[^a-z])(?:ema|swa|teacher|averaged?|avg|shadow|moving|polyak)(?:[^a-z]|$)", re.IGNORECASE
)
"""Words for an average of weights, each a whole part of a name: not the `ema` of `remap`."""

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def update_near(deposit: CallSite) -> CallSite | None:
    """Return the line that updates an average in the loop around a deposit, if a name shows it."""
    for line in (deposit.line, *([deposit.caller] if deposit.caller is not None else [])):
        loop = next((node for node in reversed(enclosing(line)) if isinstance(node, _LOOPS)), None)
        found = next(_updates(loop), None) if loop is not None else None
        if found is not None:
            return CallSite(Line(line.path, found.lineno, line.function))
    return None


def _updates(loop: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements that call something on an average, or write into one."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = spelled(node.value.func)
            given = " ".join(map(spelled, node.value.args))
            if AVERAGES.search(called) or ("_" in called and AVERAGES.search(given)):
                yield node
        elif isinstance(node, ast.For) and node is not loop:
            written = any(isinstance(item, (ast.Assign, ast.Expr)) for item in node.body)
            if written and AVERAGES.search(spelled(node.iter)):
                yield node.body[0]
