"""What the running code allows: `zerograd.allow` silences named rules where a fault is meant."""

from __future__ import annotations

from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar, cast

from zerograd.errors import UnknownRuleError
from zerograd.rules.lookup import exact_rule, suggestion

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

P = ParamSpec("P")
R = TypeVar("R")

USAGE = 'write zerograd.allow("missing-zero")'


class Allowance(NamedTuple):
    """The rules allowed from here inwards, and the allowance around it."""

    names: frozenset[str]
    outer: Allowance | None


NOTHING = Allowance(frozenset(), None)

# A stack in a context variable, instead of a token in each `allow`: one object may then be
# entered again, by several threads and by several tasks, and holds no state of its own.
innermost: ContextVar[Allowance] = ContextVar("zerograd_allowance", default=NOTHING)

changed: list[Callable[[], None]] = []
"""Called when what is allowed has changed here."""


def allowed_now() -> frozenset[str]:
    """Return the names of the rules that the code that runs now allows."""
    return innermost.get().names


def is_allowed(name: str) -> bool:
    """Tell whether the code that runs now allows the rule of this name."""
    return name in allowed_now()


class allow:  # noqa: N801  reads as a verb where it is used, like contextlib.suppress
    """Allow the named rules inside a `with` block or a decorated function.

    >>> with allow("missing-zero"):
    ...     is_allowed("missing-zero")
    True

    It holds for this thread or task and the tasks it starts; a new thread begins with nothing.
    """

    def __init__(self, *rules: str) -> None:
        self.names = frozenset(rule_name(rule) for rule in rules)
        if not rules:
            raise UnknownRuleError(f"zerograd.allow() names no rule; {USAGE}")

    def __enter__(self) -> None:
        """Allow the rules until the matching exit."""
        around = innermost.get()
        innermost.set(Allowance(around.names | self.names, around))
        for tell in changed:
            tell()

    def __exit__(self, *exception: object) -> None:
        """Return to what was allowed before."""
        innermost.set(innermost.get().outer or NOTHING)
        for tell in changed:
            tell()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Allow the rules whenever this function runs."""
        from inspect import isasyncgenfunction, isclass, iscoroutinefunction, isgeneratorfunction

        if isclass(function) or isgeneratorfunction(function) or isasyncgenfunction(function):
            # A generator runs in pieces, and between them its allowance would hold for the caller.
            raise UnknownRuleError(
                f"zerograd.allow decorates functions, and {function.__qualname__} is a class or "
                f"a generator; write `with zerograd.allow(...):` around the lines inside it"
            )
        if iscoroutinefunction(function):
            return cast("Callable[P, R]", self._around_coroutine(function))
        return self._around_function(function)

    def _around_function(self, function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def allowed(*args: P.args, **kwargs: P.kwargs) -> R:
            with self:
                return function(*args, **kwargs)

        return allowed

    def _around_coroutine(self, function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        @wraps(function)
        async def allowed(*args: P.args, **kwargs: P.kwargs) -> R:
            with self:
                return await function(*args, **kwargs)

        return allowed


def rule_name(text: object) -> str:
    """Return the name of the rule that an argument of `allow` means."""
    if not isinstance(text, str):
        raise UnknownRuleError(
            f"zerograd.allow takes the names of rules, not {type(text).__name__}; {USAGE}"
        )
    rule = exact_rule(text)
    if rule is None:
        raise UnknownRuleError(f"unknown rule {text!r} in zerograd.allow; {suggestion(text)}")
    return rule.name
