"""A state: the accounts, the scalers and the answers to tests, on one path so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zerograd.lint.program.flow import LeavingKind
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zerograd.lint.events import SourceEvent
    from zerograd.lint.events.accounts import AbstractAccount
    from zerograd.lint.program.flow import Branch


class Trail(NamedTuple):
    """How a state came about: a list that grows at its head and shares its tail."""

    before: Trail | None
    what: SourceEvent | Branch | str
    taken: bool = True


class Scaler(NamedTuple):
    """What a loss scaler has been told since its last update."""

    stepped: frozenset[tuple[int, int]] = frozenset()
    """(account, event) of steps through it."""

    unscaled: frozenset[tuple[int, int]] = frozenset()
    lost: frozenset[tuple[int, int]] = frozenset()
    """Unscaled, and cleared before any step."""


@record(eq=False)
class AbstractState:
    """One possible situation."""

    accounts: tuple[AbstractAccount, ...]
    scalers: tuple[Scaler, ...] = ()
    pending: tuple[int, ...] = ()
    """Deposits of unknown reach since the last step or clear of anybody."""

    joint: tuple[int, int] | None = None
    """The only such deposit and the step that spent it, as long as nothing else happens to it."""

    facts: dict[str, bool] = field(default_factory=dict)
    trail: Trail | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two states one."""
        return (self.accounts, self.scalers, self.pending, self.joint)

    def copy(self) -> AbstractState:
        """Return a state that can be changed without changing this one."""
        return AbstractState(
            self.accounts, self.scalers, self.pending, self.joint, self.facts, self.trail
        )


class AbstractStates:
    """A set of states; those that agree in the accounts are merged."""

    __slots__ = ("_states",)

    def __init__(self, states: Iterable[AbstractState] = ()) -> None:
        self._states: dict[tuple[object, ...], AbstractState] = {}
        for state in states:
            self.add(state)

    def __iter__(self) -> Iterator[AbstractState]:
        return iter(list(self._states.values()))

    def __len__(self) -> int:
        return len(self._states)

    def add(self, state: AbstractState) -> AbstractState | None:
        """Add a state; the one to go on from if that brought anything new."""
        known = self._states.get(state.key)
        if known is None:
            self._states[state.key] = state
            return state
        if known.facts == state.facts:
            return None
        common = {key: value for key, value in known.facts.items() if state.facts.get(key) == value}
        if common == known.facts:
            return None
        merged = known.copy()
        merged.facts = common
        self._states[state.key] = merged
        return merged

    def update(self, states: Iterable[AbstractState]) -> None:
        """Add several."""
        for state in states:
            self.add(state)


Exits = dict[LeavingKind, AbstractStates]
"""The states that leave a block, by the way they take."""


def join(exits: Exits, more: Exits) -> None:
    """Add the states of more ways out."""
    for way, states in more.items():
        if way in exits:
            exits[way].update(states)
        else:
            exits[way] = states
