"""Verdicts on the graph behind a deposit: walked twice, kept alive, or cleared inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import deem, no
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict


def backward_without_graph(*, no_graph: Fact, reached: Fact) -> Verdict | None:
    """A backward starts from a value without a graph, so that no parameter hears of the loss.

    torch refuses it, unless the value was made a leaf: then that leaf gets the gradient.
    """
    return deem("backward-without-graph", Severity.ERROR, no_graph, no(reached))


def term_without_graph(
    *, cut_off: Fact, others_train: Fact, value_rewritten: Fact
) -> Verdict | None:
    """A term of a deposited sum has no graph, though a module that the sum trains computed it.

    A sum may add a value and take another away so that it reads right and trains as before.
    """
    facts = (cut_off, others_train, no(value_rewritten))
    return deem("backward-without-graph", Severity.WARNING, *facts)


def backward_twice(*, deposited_again: Fact, written: Fact) -> Verdict | None:
    """A loss whose deposit lies fresh is deposited again, as part of a later one."""
    return deem("backward-twice", Severity.WARNING, deposited_again, no(written))


def kept_graph(*, graphs_stay_alive: Fact) -> Verdict | None:
    """The graphs of spent deposits stay alive, so that memory grows with the run."""
    return deem("kept-graph", Severity.WARNING, graphs_stay_alive)


def zero_in_graph(*, in_place: Fact, tracked: Fact) -> Verdict | None:
    """A clear in place became part of a gradient's own graph."""
    return deem("zero-in-graph", Severity.WARNING, in_place, tracked)
