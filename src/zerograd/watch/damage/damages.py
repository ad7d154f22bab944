"""Measure how much a fault changed what was spent, at a few of its steps.

`g` is what a step spends, `f` what it should have spent. Gradients are copied only after a fault
was found, or when a deposit falls on spent gradients, or when an epoch begins in the middle of a
window; at the first occurrences and at growing intervals over the whole run, within a budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.optim import SGD

from zerograd.lifecycle import Backward, Clear, Epoch, Evaluated, ScalerStep, Write, Writing
from zerograd.watch.damage.expected_gradient import (
    CLOSURE,
    RECIPES,
    TAIL,
    UNCLEARED,
    Clipping,
    MeasuredFault,
    deposit_of,
)
from zerograd.watch.damage.measure import compare, gradient_of
from zerograd.watch.damage.negligible import UNEQUAL

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from torch import Tensor
    from torch.optim import Optimizer

    from zerograd.lifecycle import Event, Fault
    from zerograd.watch.damage.expected_gradient import ExpectedSum
    from zerograd.watch.damage.items_in_loss import Terms
    from zerograd.watch.damage.measure import Measure
    from zerograd.watch.gradients.groups import GradientGroup, GradientState
    from zerograd.watch.gradients.registry import Registry

ENOUGH_WINDOWS = 16
"""Windows that are measured of unequal micro-batches."""

BUDGET = 64 * 2**20
"""Bytes of copies at a time; what does not fit is left out of the measure."""


class Damages:
    """Keeps what was deposited until the step that spends it."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.last: dict[tuple[str, Hashable], Measure] = {}
        """The measures of the step under way, by rule and optimizer."""
        self.momentum: set[Hashable] = set()
        """The optimizers for which gradients that are never cleared are momentum 1.0."""
        self._decayed: set[Hashable] = set()
        """The optimizers whose spent gradients were scaled by hand."""
        self._cases: dict[int, dict[str, MeasuredFault]] = {}
        self._before: dict[int, Tensor | None] = {}
        """Gradients as they were before the backward under way."""
        self._clippings: list[Clipping] = []
        """What the script wanted clipped since the steps that would spend it."""
        self.terms: Terms = ()
        """The terms of the loss whose backward is under way."""
        self.prove: Callable[[int, ExpectedSum, Measure | None], None] | None = None
        """Told of every window of every optimizer, if all are to be compared with their batch."""
        self._evaluating: int | None = None
        """The optimizer whose closure is being evaluated for the first time."""

    # -- what happens around a deposit

    def found(self, fault: Fault) -> None:
        """Measure the next windows of an optimizer that has shown a fault."""
        if fault.rule not in RECIPES or not isinstance(fault.optimizer, int):
            return
        case = self._case(fault.optimizer, fault.rule)
        # Rest after enough windows: counts differ in every window, and to copy its deposits, and
        # to see each call of a loop that is otherwise regular, costs.
        rests = fault.rule == UNEQUAL and case.windows >= ENOUGH_WINDOWS
        case.found = not rests or self.prove is not None
        case.left_behind = frozenset(
            witness.place for witness in fault.witnesses if witness.what == "left behind here"
        )

    @property
    def measuring(self) -> bool:
        """Whether somebody has to see every call: what is deposited, clipped and spent."""
        return bool(self._clippings or self.last) or any(
            case.found or case.meant is not None
            for cases in self._cases.values()
            for case in cases.values()
        )

    @property
    def needs_terms(self) -> bool:
        """Whether somebody asks how many items a deposit is the mean of."""
        weighed = (cases.get(UNEQUAL) for cases in self._cases.values())
        return self.prove is not None or any(
            case is not None and (case.found or case.meant is not None) for case in weighed
        )

    def forget(self, number: int) -> None:
        """Drop an optimizer that no longer exists."""
        if self._cases.pop(number, None) is not None:
            self._unclip(_members(self._registry.owned_by(number)))
        self.momentum.discard(number)
        self._decayed.discard(number)

    def decayed(self, owners: Iterable[Hashable]) -> None:
        """Note that what these optimizers spent was scaled by hand: their momentum is not 1.0."""
        self._decayed.update(owners)

    def before_deposit(self, groups: list[GradientGroup]) -> None:
        """Copy what lies there, for the optimizers that are measured."""
        # Each once: an occurrence that is not measured is counted all the same.
        onto_spent = {number for group in groups if group.spent for number in group.owners}
        for number in onto_spent:
            self._case(number, UNCLEARED).open(number, groups)
        if self.prove is not None:
            for number in {number for group in groups for number in group.owners}:
                case = self._case(number, UNEQUAL)
                case.found = case.every = True
        if not self._cases:
            return
        self._open(groups, onto_spent)
        left = BUDGET - sum(meant.nbytes for _, meant in self._measured())
        for member in _members(self._concerned(groups)):
            gradient = gradient_of(member)
            size = 0 if gradient is None else 2 * gradient.nbytes
            if size <= left:
                left -= size
                self._before[member.key] = None if gradient is None else gradient.clone()

    def _open(self, groups: list[GradientGroup], onto_spent: set[int]) -> None:
        reached = {number for group in groups for number in group.owners}
        for number in reached & self._cases.keys():
            for case in self._cases[number].values():
                opened = case.rule == TAIL or (case.rule == UNCLEARED and number in onto_spent)
                if case.found and not opened:
                    case.open(number, groups)

    def _concerned(self, groups: list[GradientGroup]) -> list[GradientGroup]:
        numbers = {number for number, _ in self._measured()}
        return [group for group in groups if not numbers.isdisjoint(group.owners)]

    def _measured(self) -> list[tuple[int, ExpectedSum]]:
        return [
            (number, case.meant)
            for number, cases in self._cases.items()
            for case in cases.values()
            if case.meant is not None
        ]

    def _case(self, number: int, rule: str) -> MeasuredFault:
        return self._cases.setdefault(number, {}).setdefault(rule, MeasuredFault(rule))

    # -- what the ledger hears

    def hear(self, event: Event) -> None:
        """Follow what happens to the deposits; called before the ledger judges."""
        if isinstance(event, Epoch):
            self._epoch()
        elif not self._cases:
            return
        elif isinstance(event, Backward):
            self._deposit(event, self._registry.groups)
        elif isinstance(event, Clear):
            for _, meant in self._measured():
                meant.clear(event.parameters)
        elif isinstance(event, Write) and event.how is not Writing.RESCALE:
            for _, meant in self._measured():
                meant.unknown.update(event.parameters)
        elif isinstance(event, Evaluated):
            self._evaluated()
        elif isinstance(event, ScalerStep) and event.skipped:
            self._close(event.optimizer)

    def _epoch(self) -> None:
        """Begin with the epoch what a window that is open should spend."""
        open_ones = {
            number for group in self._registry.groups if group.fresh for number in group.owners
        }
        for number in open_ones:
            case = self._case(number, TAIL)
            case.meant = None
            case.open(number, [])

    def _deposit(self, event: Backward, groups: list[GradientGroup]) -> None:
        members = {
            member.key: member
            for member in _members(self._concerned(groups))
            if member.key in event.parameters
        }
        deposited = {key: self._deposited(member) for key, member in members.items()}
        owners = {key: group.owners for group in groups for key in group.keys if key in members}
        for number, meant in self._measured():
            own = {key: value for key, value in deposited.items() if number in owners[key]}
            if own:
                meant.add(event, own, self.terms)
        self._before.clear()

    def _deposited(self, member: GradientState) -> Tensor | None:
        gradient = gradient_of(member)
        if gradient is None or member.key not in self._before:
            return None
        return deposit_of(self._before[member.key], gradient)

    # -- what happens around a step

    def clip(self, keys: frozenset[int], limit: Any, *, by_value: bool) -> None:
        """Remember what the script wants clipped, if its next step is measured."""
        if not self._cases or not isinstance(limit, (int, float)):
            return
        owned = [
            group
            for group in self._registry.groups
            if group.owners and not group.keys.isdisjoint(keys)
        ]
        # What no measured step spends would be kept for ever.
        if any(not self._cases.keys().isdisjoint(group.owners) for group in owned):
            clipped = frozenset().union(*(group.keys & keys for group in owned))
            others = [clip for clip in self._clippings if clip.keys != clipped]
            self._clippings = [*others, Clipping(clipped, float(limit), by_value)]

    def before_step(
        self, number: int, optimizer: Optimizer, groups: list[GradientGroup], *, has_closure: bool
    ) -> None:
        """Compare what lies there now with what should."""
        self._evaluating = number if has_closure else None
        if number not in self._cases:
            return
        if _is_plain_sgd(optimizer) and not self._is_altered(number, groups):
            self.momentum.add(number)
        else:
            self.momentum.discard(number)
        if not has_closure:
            self._compare(number, groups)

    def _is_altered(self, number: int, groups: list[GradientGroup]) -> bool:
        """Whether a clip, a loss scaler or a decay stands between the deposits and this step."""
        clipped = any(
            not clip.keys.isdisjoint(group.keys) for clip in self._clippings for group in groups
        )
        scaled = any(meant.scaled for owner, meant in self._measured() if owner == number)
        return clipped or scaled or number in self._decayed

    def _evaluated(self) -> None:
        """Compare what an evaluation left; all but the first are only a closure's fault."""
        number, self._evaluating = self._evaluating, None
        if number is not None and number in self._cases:
            self._compare(number, self._registry.owned_by(number))
        for other, cases in self._cases.items():
            if CLOSURE in cases:
                self._measure(cases[CLOSURE], other, _members(self._registry.owned_by(other)))

    def _compare(self, number: int, groups: list[GradientGroup]) -> None:
        members = _members(groups)
        for rule, case in self._cases[number].items():
            if rule != CLOSURE:
                self._measure(case, number, members)
        self._unclip(members)

    def _unclip(self, members: list[GradientState]) -> None:
        """Forget the clips of what was spent, or of what nobody will spend."""
        keys = {member.key for member in members}
        self._clippings = [clip for clip in self._clippings if clip.keys.isdisjoint(keys)]

    def _measure(self, case: MeasuredFault, number: int, members: list[GradientState]) -> None:
        """Compare for one rule, which ends its window."""
        self.last.pop((case.rule, number), None)
        meant, case.meant = case.meant, None
        if meant is None:
            return
        keys = {member.key for member in members}
        clippings = [clip for clip in self._clippings if not clip.keys.isdisjoint(keys)]
        measure = compare(meant.pairs(members, clippings[-1] if clippings else None))
        if self.prove is not None and case.rule == UNEQUAL:
            self.prove(number, meant, measure)
        if measure is not None:
            self.last[case.rule, number] = measure

    def _close(self, number: Hashable) -> None:
        """End a window whose step the scaler skipped."""
        for rule, case in self._cases.get(number, {}).items():  # type: ignore[call-overload]
            self.last.pop((rule, number), None)
            case.meant = None


def _members(groups: Iterable[GradientGroup]) -> list[GradientState]:
    return [member for group in groups for member in group.members]


def _is_plain_sgd(optimizer: Optimizer) -> bool:
    """Whether an optimizer subtracts the gradient and nothing else."""
    return type(optimizer) is SGD and not any(
        group[name] for group in optimizer.param_groups for name in ("momentum", "weight_decay")
    )
