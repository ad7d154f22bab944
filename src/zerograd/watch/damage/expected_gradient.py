"""Compute what a step should have spent, by rule, from the deposits of its window."""

from __future__ import annotations

from math import inf, isclose, nan, sqrt
from typing import TYPE_CHECKING, TypeAlias

import torch

from zerograd.record import field, record
from zerograd.watch.damage.measure import gradient_of
from zerograd.watch.damage.negligible import UNEQUAL

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from torch import Tensor

    from zerograd.lifecycle import Backward
    from zerograd.watch.damage.items_in_loss import Terms
    from zerograd.watch.gradients.groups import GradientGroup, GradientState

    Pairs: TypeAlias = list[tuple[Tensor | None, Tensor | None]]

Weight: TypeAlias = "Callable[[Backward, frozenset[Hashable]], float]"


def _whole(event: Backward, left_behind: frozenset[Hashable]) -> float:
    del event, left_behind
    return 1.0


def _own(event: Backward, left_behind: frozenset[Hashable]) -> float:
    return 0.0 if event.place in left_behind else 1.0


def _undivided(event: Backward, left_behind: frozenset[Hashable]) -> float:
    del left_behind
    return float(event.constants[0]) if event.constants else 1.0


@record(frozen=True)
class Recipe:
    """How the deposits of a window make up what its step should spend."""

    weight: Weight = _whole
    """How much of a deposit was meant, of the loss as it was before any loss scale."""

    mid_window: bool = False
    """Only what is deposited after a certain moment was meant: an epoch, an evaluation."""

    outermost: bool = False
    """Of losses that contain each other only the last was meant."""

    averaged: bool = False
    """The mean of the deposits was meant, not their sum."""

    with_cleared: bool = False
    """What was cleared in mid-window was meant too."""

    by_items: bool = False
    """Every item of the window was meant to weigh the same, as in one batch of all of them."""


TOGETHER = 0.05
"""The items of two terms vary together if their ratio changes by less."""

FIRST = 8
"""So many occurrences are measured one by one, then so many of each doubling of their number."""

UNCLEARED = "missing-zero"
TAIL = "tail-leaks"
CLOSURE = "zero-outside-closure"

RECIPES = {
    UNCLEARED: Recipe(),
    "spent-twice": Recipe(),
    "scaled-step": Recipe(),
    "clip-after-step": Recipe(),
    "clip-before-backward": Recipe(),
    "clip-before-unscale": Recipe(),
    "clip-inside-window": Recipe(),
    "leaked-deposit": Recipe(weight=_own),
    "wrong-divisor": Recipe(weight=_undivided, averaged=True),
    "zero-inside-window": Recipe(with_cleared=True),
    TAIL: Recipe(mid_window=True),
    CLOSURE: Recipe(mid_window=True),
    "backward-twice": Recipe(outermost=True),
    UNEQUAL: Recipe(by_items=True),
}


@record(frozen=True)
class Clipping:
    """A clip that the script asked for, whenever it ran."""

    keys: frozenset[int]
    limit: float
    by_value: bool

    def applied(self, meant: dict[int, Tensor]) -> dict[int, Tensor]:
        """Return what it would have left of these gradients."""
        if self.by_value:
            return {key: self._clamped(key, values) for key, values in meant.items()}
        squares = [float(meant[key].double().square().sum()) for key in meant if key in self.keys]
        factor = min(1.0, self.limit / (sqrt(sum(squares)) + 1e-6))
        return {
            key: values * factor if key in self.keys else values for key, values in meant.items()
        }

    def _clamped(self, key: int, values: Tensor) -> Tensor:
        return values.clamp(-self.limit, self.limit) if key in self.keys else values


@record()
class ExpectedSum:
    """The sum for one rule and one optimizer, while a window is open."""

    recipe: Recipe
    left_behind: frozenset[Hashable] = frozenset()
    """Places whose deposits another optimizer spends."""

    unknown: set[Hashable] = field(default_factory=set)
    """Parameters of which not every deposit was seen."""

    sums: dict[int, Tensor] = field(default_factory=dict)
    deposits: int = 0
    scaled: bool = False
    """A loss scaler takes part."""

    roots: set[Hashable] = field(default_factory=set)
    """The losses that were deposited, where they can be met again."""

    items: float = 0.0
    """All items of the window, where they were meant to weigh the same."""

    share: float = 0.0
    """What the first terms of the deposits weigh together."""

    weight: float = 0.0
    """What all their terms weigh together: 1 for the mean over all items."""

    smallest: float = inf
    """The fewest items of a deposit."""

    largest: float = 0.0
    reduced: bool = False
    """Ranks reduce in the backward: the items are known, and whose the gradients are is not."""

    proportions: tuple[float, ...] = ()
    """The items of each term of the first deposit, in those of its first term."""

    def add(self, event: Backward, deposited: dict[int, Tensor | None], terms: Terms = ()) -> None:
        """Add what one backward deposited; None where nobody looked."""
        if self.recipe.outermost:
            self._contain(event)
        self.deposits += 1
        self.scaled |= event.scale is not None
        weight = self.recipe.weight(event, self.left_behind) / (event.scale or 1.0)
        if self.recipe.by_items:
            weight *= self._undone(event, terms)
        for key, deposit in deposited.items():
            if deposit is None:
                self.unknown.add(key)
            elif key in self.sums:
                self.sums[key].add_(deposit, alpha=weight)
            else:
                self.sums[key] = deposit * weight

    def _undone(self, event: Backward, terms: Terms) -> float:
        """Return the factor that makes each item of a deposit weigh one; count the items.

        Where ranks reduce in the backward, a deposit is not this rank's alone.
        """
        if not self._are_counted(terms):
            self.items = nan
            return 0.0
        items = terms[0].items
        self.smallest, self.largest = min(self.smallest, items), max(self.largest, items)
        if event.synced is not None:
            self.items, self.reduced = nan, True
            return 0.0
        self.items += items
        self.share += terms[0].share
        self.weight += sum(term.share for term in terms)
        return 1.0 / terms[0].weight

    def _are_counted(self, terms: Terms) -> bool:
        """Whether every term of a deposit has items, which vary with those of the first."""
        if not terms or not all(term.items for term in terms):
            return False
        proportions = tuple(term.items / terms[0].items for term in terms)
        self.proportions = self.proportions or proportions
        return len(proportions) == len(self.proportions) and all(
            isclose(one, first, rel_tol=TOGETHER)
            for one, first in zip(proportions, self.proportions, strict=True)
        )

    def _contain(self, event: Backward) -> None:
        """Forget the losses that are part of this one; one that is not cannot be told apart."""
        if event.reaches and not self.roots <= set(event.reaches):
            self.unknown.update(self.sums)
        if event.reaches:
            self.sums.clear()
        self.roots.add(event.root)

    def clear(self, keys: Iterable[Hashable]) -> None:
        """Forget what a clear threw away, unless it was meant."""
        if not self.recipe.with_cleared:
            for key in keys:
                self.sums.pop(key, None)  # type: ignore[call-overload]  # ours are numbers

    def pairs(self, members: list[GradientState], clipping: Clipping | None) -> Pairs:
        """Return what lies there and what should, parameter by parameter."""
        known = [member for member in members if member.key not in self.unknown]
        meant = {member.key: self.sums[member.key] for member in known if member.key in self.sums}
        if self.recipe.averaged and self.deposits:
            meant = {key: values / self.deposits for key, values in meant.items()}
        if self.recipe.by_items:
            if not self.items > 0:
                return []
            meant = {key: values * (self.share / self.items) for key, values in meant.items()}
        if clipping is not None:
            if not clipping.keys <= {member.key for member in known}:
                return []  # its norm is over parameters that we do not know
            meant = clipping.applied(meant)
        return [(gradient_of(member), meant.get(member.key)) for member in known]

    @property
    def nbytes(self) -> int:
        """What the sums hold."""
        return sum(values.nbytes for values in self.sums.values())


@record()
class MeasuredFault:
    """One rule at one optimizer."""

    rule: str
    left_behind: frozenset[Hashable] = frozenset()
    found: bool = False
    """It was found before: every window may be measured."""

    every: bool = False
    """Every window is measured, and not only some of them."""

    windows: int = 0
    meant: ExpectedSum | None = None
    """What the window under way should spend, if it is measured."""

    def open(self, number: int, groups: list[GradientGroup]) -> None:
        """Measure the window that begins, if it is its turn."""
        if self.meant is not None:
            return
        self.windows += 1
        if self.every or is_turn(self.windows):
            recipe = RECIPES[self.rule]
            fresh = [group.keys for group in groups if group.fresh and number in group.owners]
            # What was deposited before anybody looked is unknown, unless it does not matter.
            unknown: set[Hashable] = set() if recipe.mid_window else set().union(*fresh)
            self.meant = ExpectedSum(recipe, self.left_behind, unknown)


def is_turn(times: int) -> bool:
    """Whether an occurrence is measured: the first ones, then as many between 8 and 16, 16 and 32.

    The worst ones may come late, so that all of a run is sampled; and the intervals grow with it,
    so that a long run costs no more of its time than a short one.
    """
    return times <= FIRST or times % (1 << times.bit_length() - FIRST.bit_length()) == 0


def deposit_of(before: Tensor | None, now: Tensor) -> Tensor:
    """Return what was added, in at least 32 bits."""
    wide = torch.promote_types(now.dtype, torch.float32)
    return now.to(wide, copy=True) if before is None else now.to(wide) - before.to(wide)
