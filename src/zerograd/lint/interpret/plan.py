"""What one root holds: its events, the accounts, the tests, and who touches which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.events.accounts import EMPTY, AbstractAccount
from zerograd.record import field, record

if TYPE_CHECKING:
    from zerograd.lint.events import SourceEvent
    from zerograd.lint.interpret.conditions import Leaf
    from zerograd.lint.interpret.reached_values import ReachedValues
    from zerograd.lint.values.parameter_sets import Atoms
    from zerograd.lint.values.value import CallFrame, Key, Value


@record(eq=False)
class Holder:
    """Whose gradients an account keeps: an optimizer's, or a tensor updated by hand."""

    key: Key
    label: str
    value: Value | None
    atoms: Atoms | None
    sure: bool
    manual: bool = False
    summary: bool = False
    """Stands for several optimizers; which of them is meant is unknown."""

    start: AbstractAccount = EMPTY


@record(eq=False)
class RootPlan:
    """What one root holds."""

    frame: CallFrame
    events: list[SourceEvent] = field(default_factory=list)
    holders: list[Holder] = field(default_factory=list)
    scalers: list[Key] = field(default_factory=list)
    leaves: dict[str, Leaf] = field(default_factory=dict)
    rivals: dict[str, frozenset[str]] = field(default_factory=dict)
    """Tests that share an operand with a test and cannot be compared with it."""

    reaches: dict[SourceEvent, ReachedValues] = field(default_factory=dict)
    """What the losses of its deposits were computed from, as far as that was asked."""

    lost: set[int] = field(default_factory=set)
    """Accounts that were given up because they made too many states."""

    frames: set[int] = field(default_factory=set)
    statements: int = 0

    def index(self, key: Key) -> int | None:
        """Return the account of an optimizer or tensor."""
        return next((at for at, item in enumerate(self.holders) if item.key == key), None)
