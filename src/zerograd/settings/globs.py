"""Match paths against patterns, as .gitignore defines them."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WILDCARD = re.compile(r"[*?\[]")

CLASS = re.compile(r"\[(!?)([^]/]+)\]")
"""One character of several, `[a-z_]`, or any but those, `[!0-9]`."""

TOKEN = re.compile(rf"(?P<stars>\*+)|(?P<one>\?)|{CLASS.pattern}|(?P<text>[^*?\[]+|\[)")
"""What a name's pattern is made of. Several stars mean what one means, as in git."""

PLAIN = re.compile(r"(?P<stars>\*+)|(?P<one>\?)|(?P<text>[^*?]+)")
"""What is left of it behind the last `]`: each `[` there would be looked through to the end."""


class Glob:
    """A pattern for paths that is matched without ever going back: names times stars at most.

    As one regular expression, `*a*a*a*b` tries every way to share a name among its stars.
    """

    def __init__(self, pattern: str) -> None:
        self._names = [None if name == "**" else _name(name) for name in pattern.split("/")]
        """One test for each name of a path; None for any number of them."""

    def fullmatch(self, place: str) -> bool:
        """Tell whether the pattern is a path's, from its first name to its last."""
        end = len(self._names)
        reached = self._on({0})
        for name in place.split("/"):
            after: set[int] = set()
            for at in reached - {end}:
                test = self._names[at]
                if test is None:
                    after |= {at, end} if at == end - 1 else {at}
                elif test(name):
                    after.add(at + 1)
            reached = self._on(after)
        return end in reached

    def _on(self, reached: set[int]) -> set[int]:
        """Add what is reached without a name: `**/` may stand for none."""
        for at, test in enumerate(self._names[:-1]):
            if test is None and at in reached:
                reached.add(at + 1)
        return reached


def _name(pattern: str) -> Callable[[str], object]:
    """Return the test for one name: between stars the first place that fits is as good as any.

    `a*b?*c` becomes `a(?>[^/]*?b[^/])[^/]*c`.
    """
    pieces = [""]
    last_class = pattern.rfind("]") + 1
    for token in chain(TOKEN.finditer(pattern, 0, last_class), PLAIN.finditer(pattern, last_class)):
        if token["stars"]:
            pieces.append("")
        else:
            pieces[-1] += _character(token)
    first, *others = pieces
    if not others:
        return re.compile(first).fullmatch
    *middle, last = others
    between = "".join(f"(?>[^/]*?{piece})" for piece in middle)
    return re.compile(f"{first}{between}[^/]*{last}").fullmatch


def _character(token: re.Match[str]) -> str:
    """Return the regular expression of a part of a pattern that is no star."""
    if token["one"]:
        return "[^/]"
    if token["text"]:
        return re.escape(token["text"])
    refused, members = token[3], re.sub(r"([\\\[^&~|])", r"\\\1", token[4])
    return f"[^/{members}]" if refused else f"[{members}]"


def covers(pattern: str, path: Path, folder: Path) -> bool:
    """Tell whether the pattern covers this path or a folder that it lies in.

    Without a slash it is a name at any depth, with one it counts from `folder`.

    >>> from pathlib import Path
    >>> root = Path("/project")
    >>> covers("tests", root / "pkg/tests/test_a.py", root)
    True
    >>> covers("pkg/*.py", root / "pkg/tests/test_a.py", root)
    False
    """
    anchored = "/" in pattern.rstrip("/")
    matcher = compiled(pattern.strip("/"))
    parts = relative_parts(path, folder)
    if not anchored:
        return any(matcher.fullmatch(part) for part in parts)
    return any(matcher.fullmatch("/".join(parts[:end])) for end in range(1, len(parts) + 1))


def relative_parts(path: Path, folder: Path) -> tuple[str, ...]:
    """Return the path's names below `folder`; a path elsewhere keeps all its own."""
    absolute = path.absolute()
    if absolute.is_relative_to(folder):
        return absolute.relative_to(folder).parts
    return absolute.parts[1:]


@cache
def compiled(pattern: str) -> Glob:
    """Return a pattern ready to be matched."""
    return Glob(pattern)
