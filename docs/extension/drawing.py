"""The state machine of an account, drawn from the lifecycle's own transition table."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, NamedTuple

from zerograd.lifecycle import ILLEGAL, TRANSITIONS, Move, State

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH, HEIGHT = 820, 520

PLACES = {
    State.EMPTY: (100, 245),
    State.FRESH: (410, 60),
    State.STALE: (720, 245),
    State.MIXED: (610, 425),
    State.DISCARDED: (210, 425),
}
"""The legal round on top: empty, fresh, stale, and back; what went wrong below."""

HALF_WIDTH, HALF_HEIGHT = 58, 22
BEND = 26
"""How far an arrow leaves the straight line, so that two opposite ones are two."""

WORDS = 0.4
"""How far along an arrow its words stand: nearer to where it begins."""

LINE = 15
"""From one line of words to the next."""

SAID = {Move.DEPOSIT: "backward", Move.SPEND: "step", Move.CLEAR: "zero"}
"""The words that PyTorch has for moves; the others go by their own names."""


class Arrow(NamedTuple):
    """All moves that lead from one state to another and are equally legal."""

    start: State
    end: State
    moves: tuple[Move, ...]
    rules: tuple[str, ...]
    """What these moves break; none for legal ones."""


def arrows() -> list[Arrow]:
    """Return what is drawn: moves that change the state, and those that break a rule."""
    grouped: dict[tuple[State, State, bool], list[Move]] = {}
    for start, row in TRANSITIONS.items():
        for move, end in row.items():
            illegal = (start, move) in ILLEGAL
            if start is not end or illegal:
                grouped.setdefault((start, end, illegal), []).append(move)
    return [
        Arrow(start, end, tuple(moves), tuple(ILLEGAL[start, move] for move in moves if illegal))
        for (start, end, illegal), moves in grouped.items()
    ]


def figure() -> str:
    """Return the drawing as a block of HTML; colours are the page's, in light and in dark."""
    lines = [
        '<figure class="account">',
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{DESCRIPTION}">',
        *heads(),
        *(line for arrow in arrows() for line in drawn(arrow)),
        *(line for state in State for line in box(state)),
        "</svg>",
        f"<figcaption>{CAPTION}</figcaption>",
        "</figure>",
    ]
    return "\n".join(lines)


CAPTION = (
    "Dashed: a move that breaks the rule it names, unless something excuses it. "
    "Moves that change nothing are left out."
)
DESCRIPTION = (
    "The states of an account and the moves between them; the table below says the same in words."
)


def heads() -> Iterator[str]:
    """Yield the arrow heads."""
    yield "<defs>"
    for kind in ("legal", "illegal"):
        yield (
            f'<marker id="{kind}" class="{kind}" viewBox="0 0 8 8" refX="7" refY="4" '
            'markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8Z"/></marker>'
        )
    yield "</defs>"


def box(state: State) -> Iterator[str]:
    """Yield a state."""
    x, y = PLACES[state]
    corner = f'x="{x - HALF_WIDTH}" y="{y - HALF_HEIGHT}"'
    yield f'<g class="state" data-state="{state.value}">'
    yield f'<rect {corner} width="{2 * HALF_WIDTH}" height="{2 * HALF_HEIGHT}" rx="8"/>'
    yield f'<text x="{x}" y="{y + 5}">{state.value}</text></g>'


def drawn(arrow: Arrow) -> Iterator[str]:
    """Yield an arrow with the names of its moves, and of the rules that they break."""
    kind = "illegal" if arrow.rules else "legal"
    path, (x, y) = loop(arrow) if arrow.start is arrow.end else curve(arrow)
    moves = ", ".join(SAID.get(move, move.value) for move in arrow.moves)
    words = [moves, *dict.fromkeys(arrow.rules)]
    facts = f'data-from="{arrow.start.value}" data-to="{arrow.end.value}"'
    named = " ".join(move.value for move in arrow.moves)
    yield f'<g class="arrow {kind}" {facts} data-moves="{named}">'
    yield f'<path d="{path}" marker-end="url(#{kind})"/>'
    for number, word in enumerate(words):
        yield f'<text x="{x:.0f}" y="{y + LINE * number:.0f}">{word}</text>'
    yield "</g>"


def curve(arrow: Arrow) -> tuple[str, tuple[float, float]]:
    """Return a bent line between two states, and where its words stand."""
    (x0, y0), (x1, y1) = PLACES[arrow.start], PLACES[arrow.end]
    length = hypot(x1 - x0, y1 - y0)
    across = -(y1 - y0) / length, (x1 - x0) / length
    bend = -BEND * (1 + bool(arrow.rules))
    middle = (x0 + x1) / 2 + bend * across[0], (y0 + y1) / 2 + bend * across[1]
    begin, end = edge(x0, y0, *middle), edge(x1, y1, *middle)
    shares = ((1 - WORDS) ** 2, 2 * WORDS * (1 - WORDS), WORDS**2)
    points = (begin, middle, end)
    words = [sum(w * p[axis] for w, p in zip(shares, points, strict=True)) for axis in (0, 1)]
    return f"M{spot(begin)} Q{spot(middle)} {spot(end)}", (words[0], words[1])


def loop(arrow: Arrow) -> tuple[str, tuple[float, float]]:
    """Return a loop at a state, on the side that looks outwards, and where its words stand."""
    x, y = PLACES[arrow.start]
    out = 1 if y > HEIGHT / 2 else -1
    near, far = y + out * HALF_HEIGHT, y + out * (HALF_HEIGHT + 34)
    above = LINE * len(set(arrow.rules))
    words = far + 8 if out > 0 else far + 4 - above
    return f"M{x - 18} {near} C{x - 30} {far} {x + 30} {far} {x + 18} {near}", (x, words)


def edge(x: float, y: float, towards_x: float, towards_y: float) -> tuple[float, float]:
    """Return where a line from the middle of a box leaves it."""
    dx, dy = towards_x - x, towards_y - y
    share = min(HALF_WIDTH / abs(dx) if dx else 9e9, HALF_HEIGHT / abs(dy) if dy else 9e9)
    return x + dx * share, y + dy * share


def spot(point: tuple[float, float]) -> str:
    """Return a point as SVG writes it."""
    return f"{point[0]:.0f} {point[1]:.0f}"
