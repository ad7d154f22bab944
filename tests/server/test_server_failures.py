"""Whatever goes wrong with a lint, the editor is told once, and the server goes on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from zerograd.server.editor_lint import FileToLint
from zerograd.server.features import make_server
from zerograd.server.language_server import Waiting
from zerograd.server.open_files import OpenFile, OpenText

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from lsprotocol.types import ShowMessageParams


def test_a_bug_of_ours_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("not as planned")

    told: list[ShowMessageParams] = []
    server = make_server()
    uri = (tmp_path / "train.py").as_uri()
    file = OpenFile(str(tmp_path / "train.py"), uri, (OpenText(uri, 1, ""),))
    monkeypatch.setattr(server, "to_lint", lambda _: FileToLint(file, (), (), {}))
    monkeypatch.setattr(server.lint, "findings", broken)
    monkeypatch.setattr(server, "window_show_message", told.append)

    asyncio.run(server._lint_after(uri, 0.0, Waiting()))
    asyncio.run(server._lint_after(uri, 0.0, Waiting()))
    server.linter.shutdown()

    assert [one.message for one in told] == [
        f"zerograd: cannot lint {tmp_path}/train.py: RuntimeError: not as planned; please report it"
    ]
