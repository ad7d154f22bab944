"""What makes a finding the same one tomorrow: the function and the statement it stands in."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import Counter
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.findings import Finding
    from zerograd.lint.program.source_file import Source

BODIES = ("body", "handlers", "cases", "orelse", "finalbody")
MOST_LINES = 100
"""Lines of a statement that tell it apart: one that fills a file may hold every finding of it."""

NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


Identity: TypeAlias = tuple[str, str, str, str, int]
"""What `fingerprint` digests: code, path, function, statement, and its place among equals."""


def identities(
    findings: Iterable[Finding], path: str, source: Source | None, tree: ast.Module | None
) -> list[Identity]:
    """Return what tells the findings of one file apart; `path` counts from the root."""
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for finding in findings:
        function, statement = place(module_line(finding, source), source, tree)
        key = (finding.rule.code, function, statement)
        found.append((finding.rule.code, path, function, statement, seen[key]))
        seen[key] += 1
    return found


def module_line(finding: Finding, source: Source | None) -> int:
    """Return the line of a finding in the module that a notebook's cells form."""
    cells = source.cells if source else ()
    first = next((cell.first_line for cell in cells if cell.number == finding.location.cell), 1)
    return first + finding.location.line - 1


def place(line: int, source: Source | None, tree: ast.Module | None) -> tuple[str, str]:
    """Return the dotted name of the function around a line, and the statement on it."""
    names: list[str] = []
    node: ast.AST | None = None
    inner: ast.AST | None = tree
    while inner is not None:
        node = inner
        if isinstance(node, NAMED):
            names.append(node.name)
        inner = child_at(node, line)
    if source is None or not isinstance(node, ast.stmt | ast.ExceptHandler):
        return ".".join(names), "" if source is None else text_of(source, line, line)
    return ".".join(names), text_of(source, node.lineno, last_line(node))


def child_at(node: ast.AST, line: int) -> ast.AST | None:
    """Return the statement directly inside a node that a line belongs to."""
    inside = _children(node)
    at = bisect_left(inside, line, key=itemgetter(1))
    if at == len(inside) or inside[at][0] > line:
        return None
    return inside[at][2]


# A file may have thousands of findings in thousands of statements.
@lru_cache(maxsize=8)
def _children(node: ast.AST) -> list[tuple[int, int, ast.AST]]:
    """Return the first and last line of each statement directly inside a node, in order."""
    return [
        (
            getattr(child, "lineno", None) or child.body[0].lineno,
            getattr(child, "end_lineno", None) or child.body[-1].end_lineno,
            child,
        )
        for name in BODIES
        for child in getattr(node, name, ())
    ]


def last_line(node: ast.stmt | ast.ExceptHandler) -> int:
    """Return where a statement ends; of a compound one, its header."""
    body: list[ast.stmt] = getattr(node, "body", None) or []
    if body:
        return max(node.lineno, body[0].lineno - 1)
    return node.end_lineno or node.lineno


def text_of(source: Source, first: int, last: int) -> str:
    """Return lines without the comments at their ends, as far as a glance can tell."""
    lines = _lines(source.text)[first - 1 : min(last, first + MOST_LINES)]
    return " ".join(line.split("  #")[0].strip() for line in lines)


@lru_cache(maxsize=1)
def _lines(text: str) -> list[str]:
    # Asked once for each finding of a file; a file may have thousands.
    return text.split("\n")
