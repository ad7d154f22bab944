"""Sources are read as Python reads them; what cannot be read has no lines and no traceback."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from zerograd.findings import Location, Sources

if TYPE_CHECKING:
    from pathlib import Path


def test_lines_of_a_file_come_without_their_ends(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\r\ny = 2\rz = 3\n")

    lines = Sources(tmp_path).lines("a.py")

    assert lines == ("x = 1", "y = 2", "z = 3", "")


def test_only_pythons_own_line_ends_split_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = '\x0c\u2028'\n", encoding="utf-8")

    lines = Sources(tmp_path).lines("a.py")

    assert lines == ("x = '\x0c\u2028'", "")


def test_a_declared_encoding_and_a_byte_order_mark_are_respected(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes("# coding: latin-1\nx = 'é'".encode("latin-1"))
    (tmp_path / "mark.py").write_bytes(b"\xef\xbb\xbfx = 1")

    sources = Sources(tmp_path)

    assert sources.lines("latin.py") == ("# coding: latin-1", "x = 'é'")
    assert sources.lines("mark.py") == ("x = 1",)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("binary.py", b"\xff\xfe\x00"),
        ("cookie.py", b"# coding: no-such-encoding\n"),
        ("noise.ipynb", b"{"),
        ("list.ipynb", b"[]"),
        ("bare.ipynb", b'{"cells": [{"cell_type": "code"}]}'),
        ("null.ipynb", b'{"cells": [{"cell_type": "code", "source": null}]}'),
        ("number.ipynb", b'{"cells": [{"cell_type": "code", "source": [1]}]}'),
        ("deep.ipynb", b"[" * 100_000),
    ],
)
def test_what_cannot_be_read_has_no_lines(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)

    cell = 1 if name.endswith(".ipynb") else None

    assert Sources(tmp_path).lines(name, cell) is None


@pytest.mark.parametrize("path", ["gone.py", ".", "a\0b.py", "x" * 5000, "\udcff.py"])
def test_what_is_no_file_has_no_lines(tmp_path: Path, path: str) -> None:
    assert Sources(tmp_path).lines(path) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")

    assert Sources(tmp_path).lines("pipe.py") is None


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zerograd.findings.source.LARGEST", 5)
    (tmp_path / "small.py").write_text("x = 1")
    (tmp_path / "huge.py").write_text("x = 12")

    sources = Sources(tmp_path)

    assert sources.lines("small.py") == ("x = 1",)
    assert sources.lines("huge.py") is None


def test_a_text_at_hand_is_preferred_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("changed = True")

    sources = Sources(tmp_path, {"a.py": "analysed = True", "<stdin>": "x = 1"})

    assert sources.lines("a.py") == ("analysed = True",)
    assert sources.lines("<stdin>") == ("x = 1",)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    sources = Sources(tmp_path)
    before = sources.lines("a.py")
    (tmp_path / "a.py").write_text("x = 2")

    after = sources.lines("a.py")

    assert after is before


def test_a_place_in_a_file_is_its_own_physical_place() -> None:
    place = Location("a.py", 3, 5)

    assert Sources().physical(place) == place
