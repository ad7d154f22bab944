"""The format of a knowledge table: a dotted name and what calling it does to accounts."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class CallEffect(Enum):
    """What a call does to the accounts that it touches."""

    DEPOSIT = auto()
    CLEAR = auto()
    STEP = auto()
    CLIP = auto()
    UNSCALE = auto()
    UPDATE = auto()
    """The scaler's update."""

    SCHEDULE = auto()
    WRITE = auto()
    USE = auto()
    FREEZE = auto()
    BUILD = auto()
    """An optimizer is made: its account begins, or begins anew."""

    READ = auto()
    """`.grad` is taken for a tensor, which it may not be."""

    UNKNOWN = auto()
    NOTHING = auto()


class TouchedAccounts(Enum):
    """Which accounts a call touches."""

    RECEIVER = auto()
    FIRST = auto()
    SECOND = auto()
    LOSS = auto()
    """What the first argument, a loss, reaches."""

    ALL = auto()
    NONE = auto()


@record(frozen=True)
class Row:
    """One callable that a library offers."""

    name: str
    """Dotted: `accelerate.Accelerator.backward`."""

    effects: tuple[CallEffect, ...]
    on: TouchedAccounts = TouchedAccounts.ALL
    receivers: tuple[str, ...] = ()
    """Names that the receiver usually has: `accelerator`."""

    divides: bool = False
    """The deposit is divided by the window's length already."""

    unscales: bool = False
    """The clip or step removes the loss scale first, or needs none."""

    gate: str | None = None
    """The keyword argument that decides whether everything but the deposit happens."""

    scaled: bool = False
    """The effects go through a loss scaler of their own."""

    @property
    def method(self) -> str:
        """The last part of the name: what the call is found by."""
        return self.name.rpartition(".")[2]

    @property
    def maker(self) -> str:
        """The class or module that has it."""
        return self.name.rpartition(".")[0]

    @property
    def is_method(self) -> bool:
        """Whether a class has it: its name starts with a capital."""
        return self.maker.rpartition(".")[2][:1].isupper()


USER_EFFECTS: Mapping[str, tuple[CallEffect, TouchedAccounts]] = {
    "clears": (CallEffect.CLEAR, TouchedAccounts.ALL),
    "steps": (CallEffect.STEP, TouchedAccounts.ALL),
    "deposits": (CallEffect.DEPOSIT, TouchedAccounts.LOSS),
    "clips": (CallEffect.CLIP, TouchedAccounts.ALL),
    "harmless": (CallEffect.NOTHING, TouchedAccounts.NONE),
}
"""What each key of `[tool.zerograd.knowledge]` says about the dotted names under it."""


@record()
class KnowledgeTable:
    """Rows by the last part of their name, and the functions that frameworks call repeatedly."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()
    """Dotted names of functions and methods that a framework runs once a batch."""

    _described: dict[str, bool] = field(default_factory=dict)

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows; the latest come first, so that a user's row wins over a shipped one."""
        self._described.clear()
        for row in rows:
            self.rows.setdefault(row.method, []).insert(0, row)

    def learn(self, settings: Mapping[str, Iterable[str]]) -> None:
        """Add what `[tool.zerograd.knowledge]` says: lists of dotted names under six keys."""
        for key, (effect, on) in USER_EFFECTS.items():
            self.add(Row(name, (effect,), on) for name in settings.get(key, ()))
        self.repeated |= frozenset(settings.get("repeated", ()))

    def describes(self, name: str) -> bool:
        """Tell whether a row is about a dotted name: a class whose methods it lists, a function."""
        if name not in self._described:
            rows = [row for found in self.rows.values() for row in found if "." in row.name]
            self._described[name] = any(
                name == row.name or (row.is_method and _same(row.maker, name)) for row in rows
            )
        return self._described[name]

    def find(self, method: str, maker: str | None, receiver: str | None) -> Row | None:
        """Return the row of a call, by who made its receiver or by the receiver's usual name."""
        for row in self.rows.get(method, ()):
            if maker is not None and _same(row.maker, maker):
                return row
            if maker is None and receiver is not None and _usual(receiver, row.receivers):
                return row
        return None


def _same(known: str, made: str) -> bool:
    """`accelerate.Accelerator` is `accelerate.accelerator.Accelerator` and `Accelerator`."""
    return made.rpartition(".")[2] == known.rpartition(".")[2] and (
        "." not in made or "." not in known or made.partition(".")[0] == known.partition(".")[0]
    )


def _usual(receiver: str, usual: tuple[str, ...]) -> bool:
    name = receiver.lstrip("_").lower()
    return any(name == known or name.endswith("_" + known) for known in usual)
