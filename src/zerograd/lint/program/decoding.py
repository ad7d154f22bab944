"""From bytes to source: encodings, byte order marks and line ends, or a sentence why not."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, NamedTuple

from zerograd.bounded_read import NoFileError, read_regular
from zerograd.errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE_FILE = 1_000_000
"""Bytes; a larger file is generated or data, and read only if it was named."""

HUGE_FILE = 100_000_000
"""Bytes; a larger file is not read at all."""

# Where PEP 263 looks for a declared encoding; tokenize, which knows the rest, is loaded only then.
DECLARES = re.compile(rb"\A(?:[^\r\n]*(?:\r\n?|\n))?[ \t\f]*#[^\r\n]*coding[:=]")
COOKIE = "; declare its encoding in the first line: `# -*- coding: latin-1 -*-`"
LINE_END = r"\r\n?|\n"
ASCII = "".join(map(chr, range(128)))

SLOW = frozenset({"idna", "punycode"})
"""Encodings of names of hosts, not of programs; to decode them takes quadratic time."""


class DecodedText(NamedTuple):
    """A decoded file, and what is needed to encode an edited one the same way."""

    content: str
    """Without a byte order mark, with the file's own line ends."""

    encoding: str = "utf-8"
    mark: bytes = b""
    """The byte order mark that the file begins with."""

    @property
    def source(self) -> str:
        """The text as Python reads it: every line ends in a line feed."""
        return self.content.replace("\r\n", "\n").replace("\r", "\n")

    @property
    def newline(self) -> str:
        """The line end that the file uses most."""
        ends = re.findall(LINE_END, self.content)
        return max(set(ends), key=ends.count, default="\n") if ends else "\n"

    def encode(self, content: str) -> bytes:
        """Return an edited text as the bytes of its file."""
        return self.mark + content.encode(self.encoding)

    def can_be_written(self, original: bytes) -> bool:
        r"""Tell whether an edit leaves all else in the file byte for byte as it was.

        `unicode_escape` would spell every line end as `\\n`, utf-7 every `+` as `+-`, and what a
        stateful encoding wrote in one of several ways would come back in another.
        """
        if self.encoding == "utf-8":
            return True
        try:
            is_plain = ASCII.encode(self.encoding) == ASCII.encode()
            return is_plain and self.encode(self.content) == original
        except UnicodeError:
            return False


def read_bytes(path: str, *, is_named: bool) -> bytes | None:
    """Return what is in a file, None for one that is too large unless it was named."""
    try:
        content = read_regular(path, HUGE_FILE if is_named else LARGE_FILE)
        if len(content) > HUGE_FILE:
            raise UnreadableError("is larger than 100 MB, and no program")
        return content if is_named or len(content) <= LARGE_FILE else None
    except NoFileError as error:
        raise UnreadableError(
            "is neither a file nor a folder; name `-` for standard input"
        ) from error
    except FileNotFoundError as error:
        raise UnreadableError("cannot be found; check its path") from error
    except OSError as error:
        raise UnreadableError(
            f"cannot be read: {(error.strerror or str(error)).lower()}"
        ) from error
    except ValueError as error:
        raise UnreadableError(f"cannot be read: {error}") from error


def decode(content: bytes) -> DecodedText:
    """Return the text of a Python file in its declared encoding."""
    if b"\0" in content:
        raise UnreadableError("holds zero bytes, as binary files do")
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    encoding = declared(content) if DECLARES.match(content) else "utf-8"
    try:
        return DecodedText(content[len(mark) :].decode(encoding), encoding, mark)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, len(mark) + error.start) + 1
        raise UnreadableError(
            f"is no {encoding} text: line {line} has other bytes{COOKIE}"
        ) from error
    except (LookupError, UnicodeError) as error:
        raise UnreadableError(f"declares {encoding}, which is no encoding of text") from error


def declared(content: bytes) -> str:
    """Return the encoding that the first two lines declare."""
    import tokenize

    lines: Iterator[bytes] = iter(content.splitlines(keepends=True)[:2])
    try:
        encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    except SyntaxError as error:
        raise UnreadableError(f"is no text: {error.msg}") from error
    if codecs.lookup(encoding).name in SLOW:
        raise UnreadableError(f"declares {encoding}, which is no encoding of programs")
    return "utf-8" if encoding == "utf-8-sig" else encoding


def decode_notebook(content: bytes) -> DecodedText:
    """Return the raw JSON text of a notebook."""
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        return DecodedText(content[len(mark) :].decode("utf-8"), "utf-8", mark)
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is no UTF-8 text: byte {error.start} is not") from error
