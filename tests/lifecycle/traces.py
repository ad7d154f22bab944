"""A small language for event traces: parameters are letters, places are what stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from zerograd.lifecycle import (
    Backward,
    Clear,
    Clip,
    Construct,
    Epoch,
    Evaluated,
    Event,
    Fault,
    Ledger,
    ManualUpdate,
    ScalerStep,
    ScalerUpdate,
    SchedulerStep,
    Severity,
    Step,
    StepBegins,
    StepEnds,
    Tally,
    Unscale,
    Use,
    Write,
    Writing,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

Trace: TypeAlias = "Event | Iterable[Trace]"


def build(optimizer: str, letters: str, **facts: Any) -> Event:
    return Construct(f"{optimizer} built", optimizer, frozenset(letters), **facts)


def back(letters: str, at: str = "loss", **facts: Any) -> Event:
    return Backward(f"{at}.backward", frozenset(letters), source=at, **facts)


def zero(letters: str, at: str = "zero", **facts: Any) -> Event:
    return Clear(at, frozenset(letters), **facts)


def step(optimizer: str = "sgd", **facts: Any) -> Event:
    return Step(f"{optimizer}.step", optimizer, **facts)


def closure_step(optimizer: str, *evaluations: Trace) -> list[Trace]:
    begins = StepBegins(f"{optimizer}.step", optimizer, closure=True)
    evaluated = [(evaluation, Evaluated("closure")) for evaluation in evaluations]
    return [begins, evaluated, StepEnds(f"{optimizer}.step")]


def outer_step(optimizer: str, *inside: Trace) -> list[Trace]:
    place = f"{optimizer}.step"
    return [StepBegins(place, optimizer), inside, StepEnds(place)]


def update_by_hand(letters: str) -> Event:
    return ManualUpdate(f"{letters} updated", frozenset(letters))


def use(letters: str) -> Event:
    return Use(f"{letters} written", frozenset(letters))


def assign(letters: str) -> Event:
    return Write("assign", frozenset(letters), Writing.ASSIGN)


def rescale(letters: str) -> Event:
    return Write("rescale", frozenset(letters), Writing.RESCALE)


def overwrite(letters: str) -> Event:
    return Write("overwrite", frozenset(letters), Writing.OVERWRITE)


def clip(letters: str, **facts: Any) -> Event:
    return Clip("clip", frozenset(letters), **facts)


def unscale(optimizer: str = "sgd") -> Event:
    return Unscale("unscale", optimizer, "scaler")


def scaler_step(optimizer: str = "sgd", at: str = "scaler.step", **facts: Any) -> Event:
    return ScalerStep(at, optimizer, scaler="scaler", **facts)


def scaler_update() -> Event:
    return ScalerUpdate("scaler.update", "scaler")


def schedule(optimizer: str = "sgd", *, planned: bool = False) -> Event:
    return SchedulerStep("scheduler.step", optimizer, planned)


def epoch(feed: str | None = None) -> Event:
    return Epoch("loader", feed)


def times(count: int, *trace: Trace) -> list[Trace]:
    """Post the very same events again and again, as a loop does."""
    return [trace] * count


def flat(trace: Trace) -> list[Event]:
    if isinstance(trace, Event):
        return [trace]
    return [event for part in trace for event in flat(part)]


def faults(*trace: Trace, clean: bool = True) -> list[Fault]:
    """Return every occurrence."""
    ledger = Ledger()
    found = [fault for event in flat(trace) for fault in ledger.post(event)]
    return [*found, *ledger.close(clean=clean)]


def tally(*trace: Trace, clean: bool = True) -> Tally:
    counted = Tally()
    counted.add(faults(*trace, clean=clean))
    return counted


def play(*trace: Trace, clean: bool = True) -> list[str]:
    """Return each fault once, as "severity rule at place", in the order of finding."""
    found = [entry.fault for entry in tally(*trace, clean=clean)]
    return [f"{fault.severity} {fault.rule} at {fault.place}" for fault in found]


def loud(*trace: Trace) -> list[str]:
    """Leave the hints out: they are shown only when asked for."""
    return [line for line in play(*trace) if not line.startswith(Severity.HINT)]
