"""Where ranks part: the first step at which they held what should be alike, and was not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from zerograd.findings.record import from_record
from zerograd.watch.ranks.naming import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zerograd.findings import Finding

Records: TypeAlias = "list[dict[str, Any]]"
Holding: TypeAlias = "dict[int, dict[str, Any]]"
"""What each rank held at one step."""

BLAME = ("never-synced", "wrapper-bypassed")
"""Faults that make the ranks part: where one is reported, parting is no second fault."""


@dataclass(frozen=True, slots=True)
class Parting:
    """One step at which ranks differ, and in what."""

    step: int
    what: str
    """`gradients` or `parameters`."""

    at: int
    """The first parameter that differs."""

    ranks: list[int]
    """The ranks that hold something else than the first."""


def partings(held: Mapping[int, Records], found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield a finding for each set of parameters in which ranks parted, by rank what it wrote."""
    if any(finding.rule.name in BLAME for finding in found):
        return
    for (key, ranks), steps in _by_step(held).items():
        whole = {step: all_ for step, all_ in steps.items() if len(all_) == len(ranks)}
        parted = [one for step in sorted(whole) if (one := _parting(step, whole[step]))]
        if parted:
            before = max((step for step in whole if step < parted[0].step), default=None)
            yield _finding(held[ranks[0]], key, parted, before)


def _by_step(
    held: Mapping[int, Records],
) -> dict[tuple[str, tuple[int, ...]], dict[int, Holding]]:
    """Return what was held, by what it was and who shared it, by step and by rank."""
    found: dict[tuple[str, tuple[int, ...]], dict[int, Holding]] = {}
    for rank, records in held.items():
        for record in records:
            what = (record["key"], tuple(record["ranks"]))
            found.setdefault(what, {}).setdefault(record["step"], {})[rank] = record
    return found


def _parting(step: int, held: Holding) -> Parting | None:
    first, *others = (held[rank] for rank in sorted(held))
    for what in ("parameters", "gradients"):
        differing = [rank for rank in sorted(held) if held[rank][what] != first[what]]
        if differing:
            pairs = zip(first[what], held[differing[0]][what], strict=True)
            at = next(number for number, (one, other) in enumerate(pairs) if one != other)
            return Parting(step, what, at, differing)
    return None


def _finding(records: Records, key: str, parted: list[Parting], before: int | None) -> Finding:
    first, step = parted[0], parted[0].step
    same = [record for record in records if record["key"] == key]
    names = next(record["names"] for record in same if "names" in record)
    place = next(record["place"] for record in same if record["step"] == step)
    stated = next(r["finding"] for r in records if r["place"] == place and "finding" in r)
    return replace(
        from_record(stated),
        message=_message(first, names[first.at], before),
        count=len(parted),
        first_step=step,
        last_step=parted[-1].step,
    )


def _message(first: Parting, name: str, before: int | None) -> str:
    who = f"{listed(first.ranks)} and rank 0"
    if first.what == "gradients":
        return f"{who} spend different gradients at step {first.step:,}; `{name}` is the first"
    since = f"alike at step {before:,}" if before is not None else "they never were alike"
    return f"{who} hold different parameters at step {first.step:,}; `{name}` is the first, {since}"
