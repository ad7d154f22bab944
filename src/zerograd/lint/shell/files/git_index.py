"""The files that git tracks, read from a repository's index: no pattern ignores those.

Projects that keep sources in a `lib/` or a `models/` which their .gitignore names are common: git
looks after such files all the same, and a linter that passed over them would not say so.
https://git-scm.com/docs/index-format
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = struct.Struct(">4sII")
STATUS = 40
"""Bytes of an entry before its object's name: times, owner, mode, size."""

DIGESTS = (20, 32)
"""Bytes of an object's name: SHA-1, SHA-256."""

EXTENDED = 0x4000
LENGTH = 0x0FFF
MODE = 24
"""Where an entry tells its mode."""

SUBMODULE = 0o160000
COMPRESSED = 4
"""The version in which a path is told by what it does not share with the one before."""


def tracked_paths(content: bytes) -> list[bytes]:
    """Return the paths in an index, a submodule's with a `/`; none if it cannot be read here.

    A split index (`core.splitIndex`), of which the main part is elsewhere, tells only its changes.
    """
    for digest in DIGESTS:
        try:
            return list(_entries(content, STATUS + digest))
        except (ValueError, IndexError, struct.error):
            continue
    return []


def _entries(content: bytes, status: int) -> Iterator[bytes]:
    signature, version, count = HEADER.unpack_from(content)
    if signature != b"DIRC" or version not in (2, 3, COMPRESSED):
        raise ValueError("no index")
    at, path = HEADER.size, b""
    for _ in range(count):
        mode = int.from_bytes(content[at + MODE : at + MODE + 4], "big")
        flags = int.from_bytes(content[at + status : at + status + 2], "big")
        begin = at + status + (4 if flags & EXTENDED else 2)
        kept = b""
        if version == COMPRESSED:
            dropped, begin = _number(content, begin)
            kept = path[: len(path) - dropped]
        end = content.index(b"\0", begin)
        path = kept + content[begin:end]
        # The length is told too: with the wrong kind of object names it does not fit.
        if min(len(path), LENGTH) != flags & LENGTH:
            raise ValueError("no entry")
        # Entries of the older versions are filled up with zeros to a multiple of eight.
        at = end + 1 if version == COMPRESSED else at + (end - at + 8) // 8 * 8
        yield path + b"/" if mode == SUBMODULE else path


def _number(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, and where it ends."""
    value = content[at] & 0x7F
    while content[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (content[at] & 0x7F)
    return value, at + 1
