"""The ledger agrees with a brute-force oracle on thousands of random programs."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from oracle import Deposit, Oracle

from zerograd.lifecycle import (
    ILLEGAL,
    Backward,
    Clear,
    Construct,
    Effect,
    Evaluated,
    Event,
    Ledger,
    ManualUpdate,
    Move,
    ScalerStep,
    State,
    Step,
    StepBegins,
    StepEnds,
    Use,
    Write,
    Writing,
)

PARAMETERS = "pqrs"
OPTIMIZERS = ["one", "two", "three"]
ACCOUNT_RULES = {
    "missing-zero",
    "spent-twice",
    "step-without-backward",
    "zero-before-step",
    "zero-outside-closure",
}

# What was discarded before the last step of an optimizer is no more than empty to it.
EMPTY_TOO = {State.DISCARDED: {State.DISCARDED, State.EMPTY}}

some = st.sets(st.sampled_from(PARAMETERS), min_size=1)
optimizers = st.sampled_from(OPTIMIZERS)
sources = st.sampled_from(["a", "b"])


class Programs(RuleBasedStateMachine):
    """Random programs, posted to the ledger and told to the oracle."""

    @initialize(held=st.tuples(some, some, some))
    def build(self, held: tuple[set[str], set[str], set[str]]) -> None:
        self.ledger = Ledger()
        sets: dict[object, set[str]] = dict(zip(OPTIMIZERS, held, strict=True))
        self.oracle = Oracle(sets, PARAMETERS)
        for name, parameters in sets.items():
            self.ledger.post(Construct("built", name, frozenset(parameters)))

    def post(self, *events: Event) -> list[str]:
        """Return the account rules that these events break."""
        found = [fault.rule for event in events for fault in self.ledger.post(event)]
        return [name for name in found if name in ACCOUNT_RULES]

    @rule(parameters=some, source=sources)
    def backward(self, parameters: set[str], source: str) -> None:
        assert self.post(Backward(source, frozenset(parameters), source)) == []
        self.oracle.backward(parameters, source)

    @rule(parameters=some)
    def clear(self, parameters: set[str]) -> None:
        assert self.post(Clear("zero", frozenset(parameters))) == []
        self.oracle.clear(parameters)

    @rule(parameters=some, how=st.sampled_from(Writing))
    def write(self, parameters: set[str], how: Writing) -> None:
        assert self.post(Write("write", frozenset(parameters), how)) == []
        self.oracle.write(parameters, how.value)

    @rule(parameters=some)
    def use(self, parameters: set[str]) -> None:
        assert self.post(Use("use", frozenset(parameters))) == []
        self.oracle.use(parameters)

    @rule(name=optimizers)
    def step(self, name: str) -> None:
        suspected = {
            ILLEGAL.get((state, Move.SPEND))
            for group in self.ledger.books.owners[name].groups
            for state in EMPTY_TOO.get(group.account.state, {group.account.state})
        }

        found = self.post(Step("step", name))

        assert found == listed(self.oracle.step(name))
        assert suspected.issuperset(found)

    @rule(name=optimizers)
    def step_that_does_nothing(self, name: str) -> None:
        assert self.post(Step("step", name, Effect.NOTHING)) == []

    @rule(name=optimizers, skipped=st.booleans())
    def scaler_step(self, name: str, skipped: bool) -> None:
        found = self.post(ScalerStep("step", name, scaler="scaler", skipped=skipped))

        assert found == listed(self.oracle.step(name, skipped=skipped))

    @rule(parameters=some)
    def manual_update(self, parameters: set[str]) -> None:
        name = ("manual", frozenset(parameters))
        self.oracle.hold(name, parameters)

        found = self.post(ManualUpdate("update", frozenset(parameters)))

        assert found == listed(self.oracle.step(name))

    @rule(name=optimizers, parameters=some, clears=st.lists(st.booleans(), min_size=1, max_size=3))
    def closure(self, name: str, parameters: set[str], clears: list[bool]) -> None:
        assert self.post(StepBegins("step", name, closure=True)) == []
        for number, clearing in enumerate(clears):
            self.evaluate(name, parameters, clearing=clearing, first=number == 0)
        assert self.post(StepEnds("step")) == []
        self.oracle.holders[name].begin()

    def evaluate(self, name: str, parameters: set[str], *, clearing: bool, first: bool) -> None:
        if clearing:
            self.clear(parameters)
        self.backward(parameters, "closure")
        found = self.post(Evaluated("closure"))
        judge = self.oracle.step if first else self.oracle.evaluate_again
        assert found == listed(judge(name))

    @rule(outer=optimizers, inner=optimizers)
    def nested_steps(self, outer: str, inner: str) -> None:
        found = self.post(StepBegins("step", outer), Step("step", inner), StepEnds("step"))

        assert found == listed(self.oracle.step(outer))
        if inner != outer:
            self.oracle.holders[inner].begin()
            self.oracle.hold(outer, self.oracle.holders[inner].parameters)
            self.oracle.spend(outer)
            self.oracle.holders[inner].begin()

    @invariant()
    def accounts_hold_the_same_deposits(self) -> None:
        for group in self.ledger.books.groups:
            for parameter in group.parameters:
                lying = self.oracle.lying[str(parameter)]
                fresh = Counter(d.source for d in lying if d.fresh and d.source)
                lots = {source: lot.count for source, lot in group.account.lots.items()}
                assert lots == fresh
                assert group.account.state.value in STATES[kinds(lying)]

    @invariant()
    def stale_deposits_were_spent_by_the_same_optimizers(self) -> None:
        for group in self.ledger.books.groups:
            for parameter in group.parameters if group.account.state is State.STALE else ():
                spenders = [set(d.spent_by) for d in self.oracle.lying[str(parameter)]]
                assert group.account.spenders == set.intersection(*spenders)

    @invariant()
    def windows_threw_away_the_same_sources(self) -> None:
        for name, owner in self.ledger.books.owners.items():
            holder = self.oracle.holders[name]
            assert owner.window.made == len(holder.deposits)
            assert set(owner.window.wasted) == {d.source for d in holder.thrown}


STATES = {
    frozenset(): {"empty", "discarded"},
    frozenset({True}): {"fresh"},
    frozenset({False}): {"stale"},
    frozenset({True, False}): {"mixed"},
}


def kinds(lying: list[Deposit]) -> frozenset[bool]:
    return frozenset(deposit.fresh for deposit in lying)


def listed(name: str | None) -> list[str]:
    return [] if name is None else [name]


class ForgetfulPrograms(Programs):
    """The same programs on a ledger that never hears of a clear."""

    def post(self, *events: Event) -> list[str]:
        return super().post(*(event for event in events if not isinstance(event, Clear)))


SETTINGS = settings(
    max_examples=2000 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 800,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def test_the_ledger_agrees_with_the_oracle() -> None:
    run_state_machine_as_test(Programs, settings=SETTINGS)


def test_a_ledger_that_misses_clears_does_not_agree() -> None:
    unshrunk = settings(SETTINGS, phases=[Phase.generate], database=None, print_blob=False)

    with pytest.raises(AssertionError):
        run_state_machine_as_test(ForgetfulPrograms, settings=unshrunk)
