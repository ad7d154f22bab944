"""Faults of the graph behind a deposit: walked twice, kept alive, or cleared inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.fault import Fault
from zerograd.lifecycle.verdicts import graph as verdicts

if TYPE_CHECKING:
    from zerograd.lifecycle.events import Clear
    from zerograd.lifecycle.judged_step import JudgedStep
    from zerograd.lifecycle.parameter_groups import ParameterGroup

ALIVE = 8
REMEMBERED = 12


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
    return judged.fault(verdict, kept)


def remember_graph(bits: int, *, alive: bool) -> int:
    """Shift one more spent deposit into the last twelve."""
    return (bits << 1 | alive) & (1 << REMEMBERED) - 1


def zero_in_graph(event: Clear, groups: tuple[ParameterGroup, ...]) -> tuple[Fault, ...]:
    """State a clear that became part of a gradient's own graph."""
    tracked = any(group.account.tracked for group in groups)
    verdict = verdicts.zero_in_graph(in_place=event.keeps_graph, tracked=tracked)
    return () if verdict is None else (Fault.of(verdict, event.place),)
