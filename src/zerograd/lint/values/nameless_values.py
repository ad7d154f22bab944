"""Compare values by what they are and not by name, so that two calls can be seen to be alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lint.values.value import Value


class NamelessValues:
    """Numbers for what values are: equal for two values that only their names tell apart.

    A tuple of tuples is described by the numbers of its parts. Written out, `a = (x, x)`,
    `b = (a, a)` and so on would be twice as long with each line.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[Value, int] = {}

    def of(self, value: Value | None) -> int:
        """Return the number of what a value is; 0 of nothing."""
        todo = [value] if value is not None else []
        while todo:
            item = todo[-1]
            waiting = [part for part in _inside(item) if part not in self._known]
            if waiting and item not in self._known:
                todo += waiting
            else:
                todo.pop()
                self._known[item] = self._number(item)
        return self._known[value] if value is not None else 0

    def clear(self) -> None:
        """Forget everything."""
        self._numbers.clear()
        self._known.clear()

    def _number(self, value: Value) -> int:
        nature: tuple[Hashable, ...] = (value.kind,)
        if value.kind is not ValueKind.CONSTANT:
            made = (value.maker, value.site, value.frame, value.target)
            wraps = self._known[value.wraps] if value.wraps is not None else 0
            parts = tuple(self._known[part] for part in value.parts)
            nature = (value.kind, *made, wraps, parts)
        return self._numbers.setdefault(nature, len(self._numbers) + 1)


def _inside(value: Value) -> list[Value]:
    if value.kind is ValueKind.CONSTANT:
        return []
    return [*value.parts, *([value.wraps] if value.wraps is not None else [])]
