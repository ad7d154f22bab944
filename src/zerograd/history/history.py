"""The history of a run as plain data, as it travels between processes and into a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from zerograd.record import plain, record, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.history.series import Columns

Record: TypeAlias = dict[str, Any]


@record(frozen=True, kw_only=True)
class OptimizerHistory:
    """One optimizer's course."""

    name: str
    """Its class: "AdamW"."""

    place: str
    """Where it was built: "train.py:8"."""

    process: str | None = None
    """Which process of the run it belongs to, where there are several."""

    steps: int
    places: tuple[str, ...]
    """The lines that its moments happened on."""

    shapes: tuple[Any, ...]
    """The kinds of windows: moments (what, index of its place, how many times), broken rules."""

    runs: tuple[Any, ...]
    """Windows in order: first step, count, shape or (shape, count) pairs, fewest, most and all
    deposits."""

    series: dict[str, Columns]
    """What was measured, by name."""

    @property
    def faults(self) -> dict[str, int]:
        """How many windows broke each rule."""
        found: dict[str, int] = {}
        for (_, broken), windows in self._windows():
            for rule in broken:
                found[rule] = found.get(rule, 0) + windows
        return found

    def count(self, kind: str) -> int:
        """Return in how many windows something happened."""
        return sum(
            windows
            for (moments, _), windows in self._windows()
            if any(what == kind for what, *_ in moments)
        )

    def _windows(self) -> Iterator[tuple[Any, int]]:
        """Yield each shape that is told apart, and how many windows of a run had it."""
        for _, count, shape, *_ in self.runs:
            for number, windows in shape if isinstance(shape, list) else [(shape, count)]:
                if number >= 0:
                    yield self.shapes[number], windows


@record(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a module that was called."""

    name: str
    """As `named_parameters()` spells it, after the module's class: "Net.head.weight"."""

    size: int
    owned: bool
    """Some optimizer has it."""

    reached: bool
    """Some backward deposited into it."""

    frozen: bool = False
    """`requires_grad` is False."""


@record(frozen=True, kw_only=True)
class History:
    """What a run did."""

    lanes: tuple[OptimizerHistory, ...] = ()
    left_out: int = 0
    """Optimizers that were not recorded, because there were too many."""

    parameters: tuple[Parameter, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """What the head of a report says besides: ("torch", "2.13.0")."""

    def record(self) -> Record:
        """Return it as JSON can say it."""
        data: Record = plain(self)
        return data

    def of_process(self, name: str | None) -> History:
        """Return the same with every optimizer under the name of its process."""
        return replace(self, lanes=tuple(replace(lane, process=name) for lane in self.lanes))

    def followed_by(self, other: History) -> History:
        """Return both together; what is said of the run as a whole is the first one's."""
        known = {parameter.name for parameter in self.parameters}
        new = [parameter for parameter in other.parameters if parameter.name not in known]
        return replace(
            self,
            lanes=self.lanes + other.lanes,
            left_out=self.left_out + other.left_out,
            parameters=(*self.parameters, *new),
            facts=self.facts or other.facts,
        )


def from_record(record: Record) -> History:
    """Return the history that a record was made of."""
    return History(
        lanes=tuple(
            OptimizerHistory(
                **{**lane, **{name: tuple(lane[name]) for name in ("places", "shapes", "runs")}}
            )
            for lane in record["lanes"]
        ),
        left_out=record["left_out"],
        parameters=tuple(Parameter(**parameter) for parameter in record["parameters"]),
        facts=tuple((name, fact) for name, fact in record["facts"]),
    )
