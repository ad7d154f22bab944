"""Bytes become text in the file's own encoding, or a sentence says why not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from zerograd.errors import UnreadableError
from zerograd.lint.program.decoding import decode, decode_notebook, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

BOM = b"\xef\xbb\xbf"


def refusal_of(content: bytes) -> str:
    with pytest.raises(UnreadableError) as refusal:
        decode(content)
    return str(refusal.value)


@pytest.mark.parametrize(
    "content",
    [
        "x = 'é'\r\ny = 1\r".encode(),
        BOM + "x = 'é'\n".encode(),
        "# coding: latin-1\nx = 'é'\n".encode("latin-1"),
        b"#!/usr/bin/env python\n# -*- coding: cp1252 -*-\nx = '\x80'\n",
        BOM + b"# coding: utf-8\nx = 1\n",
        b"",
    ],
    ids=["utf-8", "byte order mark", "latin-1", "second line", "mark and cookie", "empty"],
)
def test_a_text_can_be_written_back_byte_for_byte(content: bytes) -> None:
    text = decode(content)

    assert text.encode(text.content) == content


def test_python_sees_line_feeds_only() -> None:
    assert decode(b"a\r\nb\rc\n").source == "a\nb\nc\n"


def test_a_byte_order_mark_is_not_part_of_the_text() -> None:
    assert decode(BOM + b"x = 1\n").source == "x = 1\n"


def test_bytes_in_another_encoding_are_refused_with_their_line() -> None:
    assert refusal_of(b"x = 1\ny = '\xe9'\n") == (
        "is no utf-8 text: line 2 has other bytes; "
        "declare its encoding in the first line: `# -*- coding: latin-1 -*-`"
    )


def test_a_binary_file_is_refused() -> None:
    assert refusal_of(b"\x7fELF\0\0\1") == "holds zero bytes, as binary files do"


@pytest.mark.parametrize("encoding", ["klingon", "rot13"])
def test_an_encoding_that_does_not_exist_is_refused(encoding: str) -> None:
    said = refusal_of(f"# coding: {encoding}\n".encode())

    assert said in (
        f"is no text: unknown encoding: {encoding}",
        f"declares {encoding}, which is no encoding of text",
    )


def test_a_large_file_is_read_only_if_it_was_named(tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    file.write_bytes(b"#" * 1_000_001)

    assert read_bytes(str(file), is_named=False) is None
    assert read_bytes(str(file), is_named=True) == b"#" * 1_000_001


def test_a_file_that_vanished_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError) as refusal:
        read_bytes(str(tmp_path / "gone.py"), is_named=False)

    assert str(refusal.value) == "cannot be found; check its path"


def test_a_pipe_is_refused_before_it_can_block(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)

    with pytest.raises(UnreadableError) as refusal:
        read_bytes(str(pipe), is_named=True)

    assert str(refusal.value) == ("is neither a file nor a folder; name `-` for standard input")


def test_a_notebook_must_be_utf_8() -> None:
    with pytest.raises(UnreadableError) as refusal:
        decode_notebook(b'{"cells": "\xe9"}')

    assert str(refusal.value) == "is no UTF-8 text: byte 11 is not"
