"""Find the first step at which ranks held different values that should have been equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from zerograd.findings.record import from_record
from zerograd.record import record, replace
from zerograd.watch.ranks.naming import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zerograd.findings import Finding, Location

Records: TypeAlias = "list[dict[str, Any]]"
Holding: TypeAlias = "dict[int, dict[str, Any]]"
"""What each rank held at one step."""

BLAME = ("never-synced", "wrapper-bypassed")
"""Faults that make the ranks part: where one is reported, parting is no second fault."""


GRADIENTS = "do on every rank alike what comes between the reduction and the step"
NEVER_ALIKE = "send one rank's parameters to all before the first step"
NO_LONGER = "step, skip steps and set the learning rate on every rank alike"


@record(frozen=True)
class RankDifference:
    """One step at which ranks differ, and in what."""

    step: int
    what: str
    """`gradients` or `parameters`."""

    at: int
    """The first parameter that differs."""

    first: int
    """The rank that the others are compared with."""

    others: list[int]
    """The ranks that hold something else."""


def partings(held: Mapping[int, Records], found: Iterable[Finding]) -> list[Finding]:
    """Return where ranks parted, one finding a line, of what each rank wrote down."""
    if any(finding.rule.name in BLAME for finding in found):
        return []
    first: dict[Location, Finding] = {}
    for finding in _parted(held):
        first.setdefault(finding.location, finding)
    return list(first.values())


def _parted(held: Mapping[int, Records]) -> Iterator[Finding]:
    """Yield a finding for each set of parameters in which ranks parted."""
    for (key, ranks), steps in _by_step(held).items():
        whole = {step: holding for step, holding in steps.items() if len(holding) == len(ranks)}
        parted = [one for step in sorted(whole) if (one := _parting(step, whole[step]))]
        if parted:
            alike = max((step for step in whole if step < parted[0].step), default=None)
            finding = _finding(held[ranks[0]], key, parted, alike)
            yield replace(finding, process=listed(ranks))


def _by_step(
    held: Mapping[int, Records],
) -> dict[tuple[str, tuple[int, ...]], dict[int, Holding]]:
    """Return what was held, by what it was and who shared it, by step and by rank."""
    found: dict[tuple[str, tuple[int, ...]], dict[int, Holding]] = {}
    for rank, records in held.items():
        for holding in records:
            what = (holding["key"], tuple(holding["ranks"]))
            found.setdefault(what, {}).setdefault(holding["step"], {})[rank] = holding
    return found


def _parting(step: int, holding: Holding) -> RankDifference | None:
    first, *others = sorted(holding)
    for what in ("parameters", "gradients"):
        own = holding[first][what]
        differing = [rank for rank in others if holding[rank][what] != own]
        if differing:
            pairs = zip(own, holding[differing[0]][what], strict=True)
            at = next(number for number, (one, other) in enumerate(pairs) if one != other)
            return RankDifference(step, what, at, first, differing)
    return None


def _finding(
    records: Records, key: str, parted: list[RankDifference], alike: int | None
) -> Finding:
    first = parted[0]
    same = [record for record in records if record["key"] == key]
    # A line of a journal may be torn, and the names with it.
    names = next((record["names"] for record in same if "names" in record), ())
    place = next(record["place"] for record in same if record["step"] == first.step)
    stated = next(
        record["finding"] for record in records if record["place"] == place and "finding" in record
    )
    name = names[first.at] if first.at < len(names) else f"parameter {first.at}"
    message, help_text = _words(first, name, alike)
    return replace(
        from_record(stated),
        message=message,
        help=help_text,
        count=len(parted),
        first_step=first.step,
        last_step=parted[-1].step,
    )


def _words(first: RankDifference, name: str, alike: int | None) -> tuple[str, str]:
    """Return what happened, and what to do."""
    one = len(first.others) == 1
    who = f"{listed(first.others)} {{}} other {first.what} than rank {first.first}"
    differs = f"`{name}` is the first that differs"
    if first.what == "gradients":
        return f"{who.format('spends' if one else 'spend')}; {differs}", GRADIENTS
    holds = who.format("holds" if one else "hold")
    if alike is None:
        return f"{holds} from the first step on; {differs}", NEVER_ALIKE
    return f"{holds}, alike until step {alike:,}; {differs}", NO_LONGER
