"""The comments of a module, and the statement that each of them belongs to."""

from __future__ import annotations

import tokenize
from io import StringIO
from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator


@record()
class Comment:
    """One comment, and the physical lines of the statement that it stands on or above."""

    text: str
    line: int
    column: int
    """1-based, in code points."""

    statement: range = range(0)
    """Empty for a comment above nothing."""


def comments(text: str) -> list[Comment]:
    """Return every comment, up to where the text stops being Python.

    A statement is a logical line: a simple statement with all its continuations, or the header of
    a compound one. Comments on lines of their own belong to the statement right below them.
    """
    found: list[Comment] = []
    waiting: list[Comment] = []
    first = 0
    is_blank = True
    for token in tokens(text):
        match token.type:
            case tokenize.COMMENT:
                comment = Comment(token.string, token.start[0], token.start[1] + 1)
                found.append(comment)
                waiting.append(comment)
                is_blank = False
            case tokenize.NL:
                # Within a statement this only ends a physical line; a blank line parts a comment
                # from what follows it.
                if is_blank and not first:
                    waiting.clear()
                is_blank = True
            case tokenize.NEWLINE:
                for comment in waiting:
                    comment.statement = range(first, token.start[0] + 1)
                waiting.clear()
                first, is_blank = 0, True
            case tokenize.INDENT | tokenize.DEDENT | tokenize.ENDMARKER:
                pass
            case _:
                first, is_blank = first or token.start[0], False
    return found


def tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Yield tokens as far as they can be made out."""
    try:
        yield from tokenize.generate_tokens(StringIO(text).readline)
    except (tokenize.TokenError, SyntaxError):
        return
