"""The optimizers that a Lightning module configures: what `self.optimizers()` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.values import call_frames
from zerograd.lint.values.value import Value, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver_questions import ResolverQuestions


def configured(resolver: ResolverQuestions, base: Value | None) -> Value | None:
    """Return what `configure_optimizers` of an object's class builds; one or several."""
    if base is None or base.target is None:
        return None
    for cls in call_frames.lineage(base.target, resolver):
        method = cls.methods.get("configure_optimizers")
        if method is not None:
            made = call_frames.returned(resolver, call_frames.of_method(method, base, resolver))
            found = _optimizers(made, {})
            if len(found) == 1:
                return found[0]
            sure = all(item.sure for item in found)
            return Value(ValueKind.OPTIMIZERS, parts=tuple(found), sure=sure) if found else None
    return None


def _optimizers(value: Value | None, known: dict[Value, list[Value]]) -> list[Value]:
    """`opt`, `[a, b]`, `[a, b], [schedule]`, `{"optimizer": a}`, `[{"optimizer": a}, ...]`."""
    if value is None or value in known:
        # Lists in lists: each is read once, however often it is named.
        return known[value] if value is not None else []
    known[value] = []
    known[value] = _read(value, known)
    return known[value]


def _read(value: Value, known: dict[Value, list[Value]]) -> list[Value]:
    if value.kind is ValueKind.OPTIMIZER:
        return [value]
    if value.kind is ValueKind.OPTIMIZERS:
        return list(value.parts)
    if value.kind is not ValueKind.TUPLE or not value.parts:
        return []
    if (
        value.parts[0].kind is ValueKind.OPTIMIZERS
        and value.parts[-1].kind is not ValueKind.OPTIMIZERS
    ):
        return list(value.parts[0].parts)
    return [item for part in value.parts for item in _optimizers(part, known)[:1]]
