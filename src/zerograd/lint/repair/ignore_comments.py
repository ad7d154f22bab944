"""Write the comments that silence findings: `# zerograd: ignore[missing-zero]`."""

from __future__ import annotations

import tokenize
from typing import TYPE_CHECKING

from zerograd.findings.fix import Edit, Fix
from zerograd.findings.logical_lines import tokens
from zerograd.findings.pragmas import read_pragmas
from zerograd.findings.source import split_lines
from zerograd.lint.program.notebook_source import indent_of, is_valid, plain_lines, readable
from zerograd.lint.program.source_file import Source
from zerograd.rules import Repair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zerograd.findings import Finding
    from zerograd.findings.pragmas import Pragma

NO_STATEMENT = (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT)


def can_be_ignored(finding: Finding) -> bool:
    """Tell whether a comment is an answer to a finding: those on files and comments have others."""
    return finding.rule.section > 0


def ignore_fixes(findings: Iterable[Finding], texts: Mapping[int | None, str]) -> list[Fix]:
    """Return the comments that silence these findings of one file, one for each statement.

    `texts` are the code cells of a notebook by their numbers, or a file's whole text under None.
    """
    wanted: dict[int | None, dict[int, list[str]]] = {}
    for finding in filter(can_be_ignored, findings):
        at = finding.location
        names = wanted.setdefault(at.cell, {}).setdefault(at.line, [])
        if finding.rule.name not in names:
            names.append(finding.rule.name)
    return [
        Fix(Repair.SAFE, f"ignore {', '.join(names)} here", (edit,), cell)
        for cell, lines in wanted.items()
        for edit, names in _edits(texts.get(cell, ""), lines, is_cell=cell is not None)
    ]


def _edits(
    text: str, wanted: Mapping[int, list[str]], *, is_cell: bool
) -> Iterator[tuple[Edit, list[str]]]:
    lines = split_lines(text)
    plain = plain_lines(text) if is_cell else list(lines)
    indent = indent_of(plain) if is_cell else 0
    read = as_read("\n".join(line[indent:] for line in plain))
    pragmas = read_pragmas(read)
    for statement in statements(read):
        names = list(dict.fromkeys(name for line in statement for name in wanted.get(line, ())))
        if names:
            has = [item for item in pragmas if item.covers == statement and item.verb == "ignore"]
            yield (
                _longer(has[0], indent, names) if has else _new(lines, statement[-1], names),
                names,
            )


def as_read(text: str) -> str:
    """Return a text with what is no Python taken out of its lines, as lint reads it."""
    if is_valid(text):
        return text
    found = readable(Source("", text))
    return found.text if found else text


def _longer(pragma: Pragma, indent: int, names: list[str]) -> Edit:
    every = dict.fromkeys([*(named.text for named in pragma.rules), *names])
    text = f"# zerograd: ignore[{', '.join(every)}]"
    column, end_column = pragma.column + indent, pragma.end_column + indent
    return Edit(pragma.line, column, pragma.line, end_column, text)


def _new(lines: tuple[str, ...], line: int, names: list[str]) -> Edit:
    """Return a comment at the end of a statement's last line, where any comment may stand."""
    end = len(lines[line - 1].rstrip()) + 1
    return Edit(line, end, line, end, f"  # zerograd: ignore[{', '.join(names)}]")


def statements(text: str) -> Iterator[range]:
    """Yield the physical lines of each statement; of a compound one, of its header."""
    first = 0
    for token in tokens(text):
        if token.type == tokenize.NEWLINE:
            yield range(first, token.start[0] + 1)
            first = 0
        elif token.type not in NO_STATEMENT:
            first = first or token.start[0]
