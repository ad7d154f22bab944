"""Repair files in passes: lint, apply what fits together, lint again, until nothing is left."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from zerograd.errors import UnreadableError
from zerograd.findings.notebook import parse_notebook
from zerograd.lint.program.decoding import read_bytes
from zerograd.lint.program.mended_source import mended
from zerograd.lint.program.source_file import parse
from zerograd.lint.repair.edits import apply_edits, compatible
from zerograd.lint.repair.notebook_cells import edit_cell
from zerograd.lint.shell.check_file import NOTEBOOK, source_of, text_of
from zerograd.record import field, record
from zerograd.rules import Repair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zerograd.findings import Finding, Fix

PASSES = 10
"""A repair that is not done after these undoes itself."""


@record()
class Repaired:
    """Contents before and after, of the files that a repair changes."""

    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    fixes: Counter[str] = field(default_factory=Counter)
    """How many findings are repaired in each file."""

    refused: dict[str, str] = field(default_factory=dict)
    """Why a file must stay as it is, by its path."""


def repair(
    lint: Callable[[Mapping[str, bytes]], Iterable[Finding]],
    given: Mapping[str, bytes],
    *,
    unsafe: bool,
) -> Repaired:
    """Apply every fix that may be; `lint` is asked again with the repaired contents.

    `given` are contents that exist in no file, such as standard input.
    """
    repaired = Repaired()
    for _ in range(PASSES):
        overlay = {**given, **repaired.after}
        fixes = writable(lint(overlay), unsafe=unsafe)
        applied = {path: apply(path, chosen, overlay, repaired) for path, chosen in fixes.items()}
        if not any(applied.values()):
            break
        repaired.fixes.update(applied)
    return repaired


def ignored(findings: Iterable[Finding], given: Mapping[str, bytes]) -> Repaired:
    """Write a comment on every statement with a finding that a comment can answer."""
    # Imported here: few ask for it.
    from zerograd.lint.repair.ignore_comments import can_be_ignored, ignore_fixes

    written = Repaired()
    by_file: dict[str, list[Finding]] = {}
    for finding in filter(can_be_ignored, findings):
        by_file.setdefault(finding.location.path, []).append(finding)
    for path, some in by_file.items():
        content = given[path] if path in given else read_bytes(path, is_named=True) or b""
        if apply(path, ignore_fixes(some, texts_in(path, content)), given, written):
            written.fixes[path] = len(some)
    return written


def texts_in(path: str, content: bytes) -> dict[int | None, str]:
    """Return the code cells of a notebook by their numbers, or a file's text under None."""
    text = text_of(path, content)
    if not path.endswith(NOTEBOOK):
        return {None: text.source}
    notebook = parse_notebook(text.content)
    return {number: cell.source for number, cell in notebook.cells.items()} if notebook else {}


def writable(findings: Iterable[Finding], *, unsafe: bool) -> dict[str, list[Fix]]:
    """Return the fixes that may be written, by file."""
    allowed = {Repair.SAFE, Repair.UNSAFE} if unsafe else {Repair.SAFE}
    fixes: dict[str, list[Fix]] = {}
    for finding in findings:
        fix = finding.fix
        if fix and fix.is_writable and fix.safety in allowed:
            fixes.setdefault(finding.location.path, []).append(fix)
    return fixes


def apply(path: str, fixes: list[Fix], overlay: Mapping[str, bytes], repaired: Repaired) -> int:
    """Apply those fixes of a file that fit together, and return how many they were."""
    old = overlay[path] if path in overlay else read_bytes(path, is_named=True) or b""
    chosen = compatible(fixes)
    try:
        new = rewritten(path, old, chosen)
    except UnreadableError as error:
        repaired.refused[path] = str(error)
        return 0
    if new is None or new == old:
        return 0
    repaired.before.setdefault(path, old)
    repaired.after[path] = new
    return len(chosen)


def rewritten(path: str, old: bytes, fixes: list[Fix]) -> bytes | None:
    """Return a file's content after its fixes, None if less of it would be Python than before."""
    text = text_of(path, old)
    if not text.can_be_written(old):
        raise UnreadableError(
            f"{path} is left as it is: its declared encoding, {text.encoding}, spells text in "
            "ways that a repair would not keep; save it as UTF-8"
        )
    content = text.content
    if path.endswith(NOTEBOOK):
        for cell in {fix.cell for fix in fixes if fix.cell}:
            edits = [edit for fix in fixes if fix.cell == cell for edit in fix.edits]
            content = edit_cell(content, cell, edits)
    else:
        content = apply_edits(content, [edit for fix in fixes for edit in fix.edits])
    try:
        new = text.encode(content)
        read_again = text_of(path, new)
        reads = not breaks(source_of(path, text).text, source_of(path, read_again).text)
    except (ValueError, UnreadableError):
        return None
    return new if reads and read_again.content == content else None


def breaks(old: str, new: str) -> bool:
    """Tell whether a text has places that cannot be read and could be before."""
    places = unread_places(new)
    if places == 0:
        return False
    before = unread_places(old)
    return places is None or before is None or places > before


def unread_places(text: str) -> int | None:
    """Count the places of a text that are no Python; None where they are too many."""
    try:
        parse(text)
    except SyntaxError:
        mostly = mended(text)
        return max(1, len(mostly.unread)) if mostly else None
    return 0
