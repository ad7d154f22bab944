"""Faults of the graph behind a deposit: walked twice, kept alive, or cleared inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.fault import Fault
from zerograd.lifecycle.verdicts import graph as verdicts
from zerograd.lifecycle.window_statistics import ENOUGH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.events import Backward, Clear
    from zerograd.lifecycle.judged_step import JudgedStep
    from zerograd.lifecycle.parameter_groups import ParameterGroup

ALIVE = 8
REMEMBERED = 12


def note_without_graph(books: Books, event: Backward) -> None:
    """Remember a backward that starts from a leaf in no optimizer, as often as is enough."""
    noted = books.without_graph.setdefault(event.source, [])
    if len(noted) < ENOUGH:
        noted.append(event)


def backwards_without_graph(books: Books) -> Iterator[Fault]:
    """State backwards from leaves where a stepped optimizer never got anything else."""
    noted = [events for events in books.without_graph.values() if len(events) >= ENOUGH]
    for owner in books.built():
        got = any(group.ever_deposited or group.ever_written for group in owner.groups)
        verdict = verdicts.backward_without_graph(
            no_graph=bool(noted) and owner.called, reached=got
        )
        if verdict is not None:
            place = noted[0][0].place
            yield Fault.of(verdict, place, optimizer=owner.optimizer, step=owner.steps)


def backward_twice(judged: JudgedStep) -> Fault | None:
    """State a loss deposited again, as part of a later one, before any step."""
    again, written = judged.window.again, judged.window.by_hand
    verdict = verdicts.backward_twice(deposited_again=again is not None, written=written)
    if verdict is None or again is None:
        return None
    return judged.fault(verdict, again.place, ("spent here", judged.event.place))


def kept_graph(judged: JudgedStep) -> Fault | None:
    """State spent deposits whose graphs are still alive, most of the last twelve."""
    kept, alive = judged.event.kept, judged.statistics.kept.bit_count()
    if kept is None:
        return None
    verdict = verdicts.kept_graph(graphs_stay_alive=alive >= ALIVE)
    if verdict is None or not judged.owner.say_once(verdict.rule, kept):
        return None
    # Where nothing shows which line keeps the losses, it stands on the deposit.
    return judged.fault(verdict, kept, deposits_it=kept in judged.owner.sources)


def remember_graph(bits: int, *, alive: bool) -> int:
    """Shift one more spent deposit into the last twelve."""
    return (bits << 1 | alive) & (1 << REMEMBERED) - 1


def zero_in_graph(event: Clear, groups: tuple[ParameterGroup, ...]) -> tuple[Fault, ...]:
    """State a clear that became part of a gradient's own graph."""
    tracked = any(group.account.tracked for group in groups)
    verdict = verdicts.zero_in_graph(in_place=event.keeps_graph, tracked=tracked)
    return () if verdict is None else (Fault.of(verdict, event.place),)
