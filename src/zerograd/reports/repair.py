"""A repair as a small diff: only the lines that go and the lines that come."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zerograd.findings import Edit

LONGEST = 16
"""Lines; a longer diff is for `--diff`, the report then only says what it does."""


class Change(NamedTuple):
    """One line of the diff: `-` with its old number, or `+` with its new one."""

    sign: str
    number: int
    text: str


def small_diff(edits: Sequence[Edit], lines: Sequence[str]) -> list[Change]:
    """Return the lines that the edits change; none when the source no longer fits them."""
    if not all(fits(edit, lines) for edit in edits):
        return []
    changes: list[Change] = []
    shift = 0
    for hunk in hunks(sorted(edits)):
        first, last = hunk[0].line, max(edit.end_line for edit in hunk)
        old = list(lines[first - 1 : last])
        new = apply(hunk, old, first)
        changes.extend(differing(old, new, first, shift))
        shift += len(new) - len(old)
    return changes if len(changes) <= LONGEST else []


def fits(edit: Edit, lines: Sequence[str]) -> bool:
    """Whether the source has the place that an edit replaces."""
    if not 1 <= edit.line <= edit.end_line <= len(lines):
        return False
    end = len(lines[edit.end_line - 1]) + 1
    return edit.column <= len(lines[edit.line - 1]) + 1 and edit.end_column <= end


def hunks(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Group the edits that share a line."""
    group: list[Edit] = []
    for edit in edits:
        if group and edit.line > max(earlier.end_line for earlier in group):
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def apply(edits: Sequence[Edit], old: Sequence[str], first: int) -> list[str]:
    """Return the lines after the edits; the last edit goes first, so that places stay valid."""
    text = "\n".join(old)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line) + 1)
    for edit in reversed(edits):
        begin = starts[edit.line - first] + edit.column - 1
        end = starts[edit.end_line - first] + edit.end_column - 1
        text = text[:begin] + edit.text + text[end:]
    return text.split("\n")


def differing(old: list[str], new: list[str], first: int, shift: int) -> Iterator[Change]:
    """Yield the lines in which old and new differ, without those that both begin or end with."""
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    old, new = old[same:], new[same:]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    start = first + same
    yield from (Change("-", start + index, text) for index, text in enumerate(old))
    yield from (Change("+", start + shift + index, text) for index, text in enumerate(new))
