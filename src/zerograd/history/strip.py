"""Keep the windows of one optimizer in order, with equal neighbours stored as one run.

A loop that does the same at each step is one run however long it is, and nothing is lost. Where
windows keep changing and the room is full, neighbours in the middle become mixed runs; the
beginning, the end and the first faults of each rule stay as they were.
"""

from __future__ import annotations

from typing import TypeAlias

from zerograd.record import field, record

ROOM = 2048
"""Runs that are kept."""

ENDS = 384
"""Runs at the beginning, and at the end, that stay as they are."""

KINDS = 8
"""Shapes that a mixed run tells apart; the rest of them is counted."""

OTHERS = -1
"""The shape of windows that are no longer told apart."""

Row: TypeAlias = list[object]


@record()
class WindowRun:
    """Windows that followed each other."""

    first: int
    """The step that ends its first window, counted from 1."""

    count: int
    shapes: dict[int, int]
    """How many windows had which shape; one shape unless the run is mixed."""

    fewest: int
    most: int
    deposits: int
    """Of a window: the fewest, the most; and of all together."""

    kept: bool = False
    """Never joined with others: something new happened here."""

    def join(self, later: WindowRun) -> None:
        """Take over the windows that follow."""
        self.count += later.count
        for shape, count in later.shapes.items():
            self.shapes[shape] = self.shapes.get(shape, 0) + count
        self.fewest, self.most = min(self.fewest, later.fewest), max(self.most, later.most)
        self.deposits += later.deposits
        self._forget_the_rare()

    def _forget_the_rare(self) -> None:
        ranked = sorted(self.shapes, key=lambda shape: (shape == OTHERS, -self.shapes[shape]))
        for shape in ranked[KINDS:]:
            if shape != OTHERS:
                self.shapes[OTHERS] = self.shapes.get(OTHERS, 0) + self.shapes.pop(shape)

    def row(self) -> Row:
        """Return it as JSON can say it: first, count, shape or pairs, fewest, most, deposits."""
        shape: object = next(iter(self.shapes))
        if len(self.shapes) > 1:
            shape = [list(pair) for pair in sorted(self.shapes.items())]
        return [self.first, self.count, shape, self.fewest, self.most, self.deposits]


@record()
class WindowStrip:
    """The runs so far.

    >>> strip = Strip()
    >>> for step in range(1000):
    ...     strip.add(shape=0, deposits=1)
    >>> strip.rows()
    [[1, 1000, 0, 1, 1, 1000]]
    """

    room: int = ROOM
    runs: list[WindowRun] = field(default_factory=list)
    steps: int = 0

    def add(self, shape: int, deposits: int, *, kept: bool = False) -> None:
        """Add a window."""
        self.steps += 1
        last = self.runs[-1] if self.runs else None
        if last is not None and not kept and not last.kept and last.shapes.keys() == {shape}:
            last.count += 1
            last.shapes[shape] += 1
            last.deposits += deposits
            return
        self.runs.append(WindowRun(self.steps, 1, {shape: 1}, deposits, deposits, deposits, kept))
        if len(self.runs) > self.room:
            self._thin_out()

    def _thin_out(self) -> None:
        """Join the runs between beginning and end in pairs."""
        ends = min(ENDS, self.room // 4)
        middle: list[WindowRun] = []
        alone = True
        for run in self.runs[ends:-ends]:
            if alone or run.kept or middle[-1].kept:
                middle.append(run)
                alone = run.kept
            else:
                middle[-1].join(run)
                alone = True
        self.runs = [*self.runs[:ends], *middle, *self.runs[-ends:]]

    def rows(self) -> list[Row]:
        """Return the runs as JSON can say them."""
        return [run.row() for run in self.runs]
