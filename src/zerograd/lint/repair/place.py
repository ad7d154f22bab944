"""Text edits on whole statements: insert before or after, remove, move, with indentation kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.findings import Edit
from zerograd.lint.program.module import statements
from zerograd.lint.program.syntax import walk

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from zerograd.lint.checks.evidence.case import Draft
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.program.source_file import Source


def statement_of(event: SourceEvent) -> ast.stmt | None:
    """Return the simple statement that an event stands in, if it has its lines to itself."""
    body = getattr(event.frame.function.node, "body", [])
    if not isinstance(body, list):
        return None
    for stmt in statements(body):
        if _is_simple(stmt) and any(node is event.node for node in walk(stmt)):
            return stmt if has_own_lines(stmt, event.frame.function.module.source) else None
    return None


def statement_here(event: SourceEvent, draft: Draft) -> ast.stmt | None:
    """Return the event's statement, if it stands in the finding's file."""
    if event.frame.function.module is not draft.spot.module:
        return None
    return statement_of(event)


def _is_simple(stmt: ast.stmt) -> bool:
    return not any(hasattr(stmt, name) for name in ("body", "handlers", "cases"))


def has_own_lines(stmt: ast.stmt, source: Source) -> bool:
    """No other code on the statement's first and last line: a line can be put around it."""
    first, last = source.lines[stmt.lineno - 1], source.lines[(stmt.end_lineno or 1) - 1]
    start = source.column(stmt.lineno, stmt.col_offset) - 1
    end = source.column(stmt.end_lineno or 1, stmt.end_col_offset or 0) - 1
    rest = last[end:].strip()
    return not first[:start].strip() and (not rest or rest.startswith("#"))


def indent_of(stmt: ast.stmt, source: Source) -> str:
    """Return the white space before a statement, as it is written."""
    line = source.lines[stmt.lineno - 1]
    return line[: source.column(stmt.lineno, stmt.col_offset) - 1]


def newline_of(source: Source) -> str:
    """Return the line ending that the source uses."""
    return "\r\n" if source.lines and source.lines[0].endswith("\r\n") else "\n"


def before(stmt: ast.stmt, code: str, source: Source) -> Edit:
    """Put lines before a statement, or more code on its line: `def f(): a(); b()`."""
    indent = indent_of(stmt, source)
    if indent.strip():
        column = len(indent) + 1
        return Edit(stmt.lineno, column, stmt.lineno, column, f"{code}; ")
    text = "".join(indent + line + newline_of(source) for line in code.split("\n"))
    return Edit(stmt.lineno, 1, stmt.lineno, 1, text)


def after(stmt: ast.stmt, code: str, source: Source) -> Edit:
    """Put a line after a statement."""
    line = (stmt.end_lineno or stmt.lineno) + 1
    text = indent_of(stmt, source) + code + newline_of(source)
    if line > len(source.lines) and source.lines and not source.lines[-1].endswith(("\n", "\r")):
        last = source.lines[-1]
        return Edit(
            line - 1,
            len(last) + 1,
            line - 1,
            len(last) + 1,
            newline_of(source) + indent_of(stmt, source) + code,
        )
    return Edit(line, 1, line, 1, text)


def removed(stmt: ast.stmt) -> Edit:
    """Take a statement's lines out."""
    return Edit(stmt.lineno, 1, (stmt.end_lineno or stmt.lineno) + 1, 1, "")


def replaced(node: ast.expr | ast.stmt, code: str, source: Source) -> Edit:
    """Put other code where an expression or a simple statement stands."""
    last = node.end_lineno or node.lineno
    return Edit(
        node.lineno,
        source.column(node.lineno, node.col_offset),
        last,
        source.column(last, node.end_col_offset or 0),
        code,
    )


def applied(edits: Iterable[Edit], source: Source) -> str:
    """Return the text after the edits, last ones first so that earlier positions stay true."""
    starts = [0]
    for line in source.lines:
        starts.append(starts[-1] + len(line))
    text = source.text
    for edit in sorted(edits, reverse=True):
        begin = starts[min(edit.line - 1, len(starts) - 1)] + edit.column - 1
        end = starts[min(edit.end_line - 1, len(starts) - 1)] + edit.end_column - 1
        text = text[:begin] + edit.text + text[end:]
    return text


def only_statement(stmt: ast.stmt, event: SourceEvent) -> bool:
    """Tell whether removing a statement would leave a block empty."""
    for node in walk(event.frame.function.node):
        for name in ("body", "orelse", "finalbody"):
            if getattr(node, name, None) == [stmt]:
                return True
    return False
