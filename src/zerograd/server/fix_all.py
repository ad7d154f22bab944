"""All repairs of a file at once, computed when somebody chooses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from zerograd.errors import SettingsError
from zerograd.findings.fix import Edit
from zerograd.findings.notebook import parse_notebook
from zerograd.lint.repair.edits import lines_with_ends
from zerograd.lint.shell.check_file import text_of
from zerograd.rules import Repair
from zerograd.server.messages import FIX_ALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zerograd.server.language_server import Shown, ZerogradServer
    from zerograd.server.open_files import OpenFile


def fix_all_actions(known: Shown, *, with_settings: bool) -> Iterator[types.CodeAction]:
    """Yield the repairs of a whole file, to be computed when they are chosen.

    `with_settings`: also where only the settings can make a repair one that may be written.
    What changes what is computed is no `source.fixAll`: editors apply that on saving.
    """
    kinds = {one.fix.safety for one in known.findings if one.fix and one.fix.is_writable}
    data = {"uri": known.file.uri, "versions": known.file.versions}
    if Repair.SAFE in kinds or (kinds and with_settings):
        yield types.CodeAction(
            "Apply all safe repairs of zerograd", FIX_ALL, data={**data, "unsafe": None}
        )
    if Repair.UNSAFE in kinds:
        yield types.CodeAction(
            "Apply all repairs of zerograd (changes what is computed)",
            types.CodeActionKind.QuickFix,
            data={**data, "unsafe": True},
        )


async def resolved(server: ZerogradServer, action: types.CodeAction) -> types.CodeAction:
    """Return an action with its edit, without one if the file has changed meanwhile."""
    data: Mapping[str, Any] = action.data or {}
    asked = server.to_lint(str(data.get("uri", "")))
    if asked is None or list(asked.file.versions) != list(data["versions"]):
        return action
    try:
        content = await server.in_thread(lambda: server.lint.repaired(asked, unsafe=data["unsafe"]))
    except SettingsError as error:
        server.complain(str(error))
        return action
    if content is not None:
        file = asked.file
        edits = {
            old: [changed_lines(old.text, new)]
            for old, new in zip(file.texts, repaired_texts(file, content), strict=True)
            if old.text != new
        }
        action.edit = server.messages(file).edit(edits)
    return action


def repaired_texts(file: OpenFile, content: bytes) -> list[str]:
    """Return the texts of a file's repaired content, in their order."""
    raw = text_of(file.path, content).content
    notebook = parse_notebook(raw) if file.is_notebook else None
    return [cell.source for cell in notebook.cells.values()] if notebook else [raw]


def changed_lines(old: str, new: str) -> Edit:
    """Return the edit that replaces the lines of a text which change, and no others."""
    before, after = lines_with_ends(old), lines_with_ends(new)
    shorter = min(len(before), len(after))
    same = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    rest = range(1, shorter - same + 1)
    tail = next((at - 1 for at in rest if before[-at] != after[-at]), len(rest))
    text = "".join(after[same : len(after) - tail])
    end = (len(before), len(before[-1]) + 1) if tail == 0 else (len(before) - tail + 1, 1)
    return Edit(same + 1, 1, *end, text)
