"""The patterns of .gitignore files, matched as git matches them and in linear time.

The patterns come from whoever wrote the tree. `pathspec` turns every `*` into `[^/]*`, and
`*a*a*a*a*a*a*ab` then takes five seconds on one name of 60 letters. Here each `*` but the last of a
name takes the first place where what follows it fits, and never another: no later place could help,
because the next `*` takes in whatever lies between. tests/attacks compares with git itself.
"""

from __future__ import annotations

import codecs
import re
import string
from typing import TYPE_CHECKING, NamedTuple

from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    Match: TypeAlias = Callable[[bytes], object] | None
    """Tells whether a text matches; None: there is nothing to match it with."""

    Question: TypeAlias = tuple[bool, set[bytes], set[bytes], Match, Match]
    """What a run answers, and what it answers for: names, paths, and expressions for both."""

CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, (*range(32), 127))),
    "digit": string.digits,
    "graph": string.ascii_letters + string.digits + string.punctuation,
    "lower": string.ascii_lowercase,
    "print": string.ascii_letters + string.digits + string.punctuation + " ",
    "punct": string.punctuation,
    "space": " \t\n\r\f\v",
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}
"""What `[[:alpha:]]` and its kin stand for."""

SPECIAL = re.compile(rb"[*?\[\\]")
SLASH = ord("/")


class Pattern(NamedTuple):
    """One line of a .gitignore."""

    text: bytes
    """Without the `!` before it and the `/` after it."""

    ignores: bool
    """False after `!`: what it matches is wanted, whatever an earlier line says."""

    folders_only: bool

    @property
    def is_name(self) -> bool:
        """Whether it matches names at any depth; with a slash in it, paths from its folder."""
        return b"/" not in self.text

    @property
    def regex(self) -> bytes | None:
        """The regular expression of the same meaning; None where it can match nothing."""
        text = self.text.removeprefix(b"/")
        special = SPECIAL.search(text)
        # git compares what comes before the first special character by itself, and takes a `**`
        # right after it for one at the pattern's beginning: `ab**/c` matches `ab/x/c`.
        start = special.start() if special else len(text)
        try:
            return _regex(list(_pieces(text, start, is_name=self.is_name)))
        except ValueError:
            return None


def patterns(content: bytes) -> list[Pattern]:
    """Return the patterns of a file, in order."""
    found = []
    for line in content.removeprefix(codecs.BOM_UTF8).split(b"\n"):
        text = _without_spaces(line.removesuffix(b"\r").partition(b"\0")[0])
        if text.startswith(b"#"):
            continue
        ignores, text = not text.startswith(b"!"), text.removeprefix(b"!")
        pattern = Pattern(text.removesuffix(b"/"), ignores, text.endswith(b"/"))
        if pattern.text:
            found.append(pattern)
    return found


def _without_spaces(line: bytes) -> bytes:
    r"""Return a line without the spaces at its end; one after a `\` is part of a name."""
    end = len(line.rstrip(b" "))
    slashes = end - len(line[:end].rstrip(b"\\"))
    return line[: end + 1] if slashes % 2 else line[:end]


@record(eq=False)
class PatternGroup:
    """Neighbouring patterns that all ignore, or all want again: one question for all of them."""

    ignores: bool
    names: set[bytes] = field(default_factory=set)
    paths: set[bytes] = field(default_factory=set)
    wild_names: list[bytes] = field(default_factory=list)
    wild_paths: list[bytes] = field(default_factory=list)

    def add(self, pattern: Pattern) -> None:
        """Take in one pattern; most have nothing special in them and need no expression."""
        if not SPECIAL.search(pattern.text):
            (self.names if pattern.is_name else self.paths).add(pattern.text.removeprefix(b"/"))
        elif (regex := pattern.regex) is not None:
            (self.wild_names if pattern.is_name else self.wild_paths).append(regex)

    def question(self) -> Question:
        """Return all that is asked at every file of a tree, in the order in which it is asked."""
        wild_names, wild_paths = _any_of(self.wild_names), _any_of(self.wild_paths)
        return (self.ignores, self.names, self.paths, wild_names, wild_paths)


class Patterns:
    """The patterns of one file, which count from one folder."""

    def __init__(self, content: bytes) -> None:
        found = patterns(content)
        self.count = len(found)
        self.for_folders = self._runs(found)
        self.for_files = self._runs([pattern for pattern in found if not pattern.folders_only])

    def _runs(self, found: list[Pattern]) -> list[Question]:
        runs: list[PatternGroup] = []
        for pattern in found:
            if not runs or runs[-1].ignores != pattern.ignores:
                runs.append(PatternGroup(pattern.ignores))
            runs[-1].add(pattern)
        # The last pattern that matches decides.
        return [run.question() for run in reversed(runs)]

    def verdict(self, path: bytes, name: bytes, *, is_folder: bool) -> bool | None:
        """Tell whether a path, given from the file's folder, is ignored; None: nothing is said."""
        runs = self.for_folders if is_folder else self.for_files
        for ignores, names, paths, wild_names, wild_paths in runs:
            if (
                name in names
                or path in paths
                or (wild_names and wild_names(name))
                or (wild_paths and wild_paths(path))
            ):
                return ignores
        return None


# --- from a pattern to a regular expression ----------------------------------------------------

STAR, FOLDERS, SOME_FOLDERS, REST = b"*", b"**/", b"**\\/", b"**"
"""Any part of a name; folders, or none; folders, at least one; all that follows."""

DEPTHS = {FOLDERS: b"*", SOME_FOLDERS: b"+"}


def _pieces(text: bytes, start: int, *, is_name: bool) -> Iterator[bytes]:
    """Cut a pattern into what its `*` mean, and expressions for one byte each."""
    at = 0
    while at < len(text):
        byte = text[at : at + 1]
        if byte == b"*":
            end = len(text) - len(text[at:].lstrip(b"*"))
            piece = STAR if is_name or end == at + 1 else _stars(text, at, end, start)
            at = end + len(piece.lstrip(b"*"))
            yield piece
        elif byte == b"[":
            members, at = _class(text, at + 1)
            yield _one_of(members)
        elif byte == b"?":
            at += 1
            yield b"[^/]"
        else:
            at += byte == b"\\"
            if at == len(text):
                raise ValueError("nothing comes after the backslash")
            yield re.escape(text[at : at + 1])
            at += 1


def _stars(text: bytes, at: int, end: int, start: int) -> bytes:
    """Tell what several `*` mean: more than a single one only in the place of whole names."""
    if at == start or text[at - 1] == SLASH:
        if end == len(text):
            return REST
        for piece in DEPTHS:
            if text.startswith(piece.lstrip(b"*"), end):
                return piece
    return STAR


def _class(text: bytes, at: int) -> tuple[frozenset[int], int]:
    """Return the bytes that `[...]` matches, read from behind its `[`, and where it ends."""
    negated = text[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    before = -1
    """The byte that a `-` would begin a range with."""

    first = at
    while at == first or text[at : at + 1] != b"]":
        if text[at : at + 2] == b"[:":
            end = text.index(b"]", at + 2)
            if end > at + 2 and text[end - 1 : end] == b":":
                name = text[at + 2 : end - 1].decode("latin-1")
                if name not in CLASSES:
                    raise ValueError(f"no class is called {name}")
                members |= set(CLASSES[name].encode())
                at, before = end + 1, -1
                continue
        if text[at : at + 1] == b"-" and before >= 0 and text[at + 1 : at + 2] not in (b"", b"]"):
            at, last = _member(text, at + 1)
            members |= set(range(before, last + 1))
            before = -1
        else:
            at, before = _member(text, at)
            members.add(before)
    allowed = set(range(1, 256)) - members if negated else members
    return frozenset(allowed - {SLASH}), at + 1


def _member(text: bytes, at: int) -> tuple[int, int]:
    """Return where one byte of a class ends, and the byte."""
    at += text[at : at + 1] == b"\\"
    if at >= len(text):
        raise ValueError("the class does not end")
    return at + 1, text[at]


def _one_of(members: frozenset[int]) -> bytes:
    """Return the expression for one of these bytes; for none of them, one that never matches."""
    return b"[%b]" % b"".join(b"\\x%02x" % byte for byte in sorted(members)) if members else b"(?!)"


def _regex(pieces: list[bytes]) -> bytes:
    """Join the pieces so that no part of a path is tried twice for the same part of a pattern.

    `a*b*c` becomes `a(?>[^/]*?b)[^/]*c`: the first `*` takes the first `b` and keeps to it.
    `**/a/**/b` becomes `(?>(?:[^/]*/)*?a/)(?:[^/]*/)*b` for the same reason.
    """
    depths = [at for at, piece in enumerate(pieces) if piece in DEPTHS]
    ends = [*depths, len(pieces)]
    regex = _names(pieces[: ends[0]])
    for at, end in zip(depths, ends[1:], strict=True):
        folders = b"(?:[^/]*/)" + DEPTHS[pieces[at]]
        following = _names(pieces[at + 1 : end])
        regex += folders + following if end == len(pieces) else b"(?>%b?%b)" % (folders, following)
    return regex


def _names(pieces: list[bytes]) -> bytes:
    """Join pieces without folders of any depth: every `*` but a name's last is settled at once."""
    regex = b""
    while STAR in pieces:
        at = pieces.index(STAR)
        regex += b"".join(pieces[:at])
        pieces = pieces[at + 1 :]
        end = pieces.index(STAR) if STAR in pieces else len(pieces)
        if end == len(pieces) or b"/" in pieces[:end]:
            regex += b"[^/]*"
        else:
            regex += b"(?>[^/]*?%b)" % b"".join(pieces[:end])
            pieces = pieces[end:]
    return regex + b"".join(b".*" if piece == REST else piece for piece in pieces)


def _any_of(regexes: list[bytes]) -> Match:
    """Return what tells whether one of these matches a whole text."""
    if not regexes:
        return None
    return re.compile(b"(?s:" + b"|".join(regexes) + b")").fullmatch
