"""A line of Python in colours, cut into pieces that are marked or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# By the beginning of what Pygments calls them; the first that fits is taken.
TOKENS = (
    ("Token.Comment", "comment"),
    ("Token.Keyword", "keyword"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Name.Builtin", "builtin"),
)


class Piece(NamedTuple):
    """Characters of one look."""

    text: str
    style: str


def coloured(text: str, stretches: Sequence[tuple[int, int, str]]) -> list[Piece]:
    """Cut a shown line where its look changes; `stretches` are begin, end and style of marks."""
    looks = [""] * len(text)
    for begin, end, style in tokens(text):
        looks[begin:end] = [style] * (end - begin)
    marked = [""] * len(text)
    for begin, end, style in reversed(stretches):
        for at in range(max(0, begin), min(end, len(text))):
            marked[at] = f" marked {style}"
    pieces: list[Piece] = []
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or (looks[at], marked[at]) != (looks[begin], marked[begin]):
            pieces.append(Piece(text[begin:at], (looks[begin] + marked[begin]).strip()))
            begin = at
    return pieces


def tokens(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what Pygments sees in a line: begin, end and style."""
    # Comes with rich; imported here, as only this report needs it.
    from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]  # has none

    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for begin, kind, part in lexer.get_tokens_unprocessed(text):
        style = next((style for name, style in TOKENS if str(kind).startswith(name)), "")
        if style:
            yield begin, begin + len(part), style
