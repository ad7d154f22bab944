"""ZG503: the bare module is called instead of its wrapper, so that the ranks share nothing."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import ranks
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, spot
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.interpret.origins import before
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import BindingKind, returns
from zerograd.lint.program.syntax import last_name, text
from zerograd.lint.values import call_frames
from zerograd.lint.values.kinds import PARALLEL
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.values.value import CallFrame, Key, Value

DEEP = 6
BY_HAND = re.compile(
    r"reduce_scatter|average_(?:grad|param)|sync_(?:grad|param)\w*\(|all_reduce\([^)]{0,500}?grad"
)
"""Programs that share gradients or parameters themselves."""

TRAINS = re.compile(r"forward|loss|_step$|logits|predict|encode|decode")
"""Methods of a module that stand for its forward; others prepare data."""

MODULES = (ValueKind.MODULE, ValueKind.OTHER)
"""What may be wrapped: also what a class makes that was not read."""

UNWRAPS = re.compile(r"^_?(?:unwrap|get_(?:raw|bare|unwrapped))_?\w*$")


def check(case: Case) -> Iterator[Draft]:
    """Follow every loss back to the calls that it came through."""
    modules = {event.frame.function.module for event in case.plan.events}
    by_hand = any(module.matches(BY_HAND) for module in modules)
    verdict = ranks.closing_alone(
        closes_window=True,
        synced=False,
        written=Unknown("not-reduced-by-hand") if by_hand else False,
        bypassed=True,
    )
    told: set[int] = set()
    search = _Search(case)
    for event in case.plan.events:
        if event.effect is not CallEffect.DEPOSIT or event.loss is None:
            continue
        for call, frame, wrapper in search.past(event):
            if verdict is not None and id(call) not in told:
                told.add(id(call))
                yield _draft(verdict, call, frame, wrapper, event)


def _draft(
    verdict: Verdict, call: ast.Call, frame: CallFrame, wrapper: str, event: SourceEvent
) -> Draft:
    message = f"`{text(call.func)}(...)` goes past its wrapper `{wrapper}`"
    return Draft(
        verdict,
        Spot(call, frame.function.module),
        message,
        f"call `{wrapper}(...)`",
        [("deposited here", spot(event))],
    )


class _Search:
    """Tells which expressions are a bare module that also has a wrapper."""

    def __init__(self, case: Case) -> None:
        self.case, self.resolver = case, case.resolver
        self.wrapped = self.wrappers()

    def wrappers(self) -> dict[Key, str]:
        """Modules that have a wrapper under another name, on every path: key -> that name."""
        found: dict[Key, str] = {}
        places = {id(event.frame): event.frame for event in self.case.plan.events}
        for frame in list(places.values()):
            for name, bindings in frame.function.scope.bindings.items():
                value = bindings[-1].value
                if bindings[-1].under or not isinstance(value, ast.Call) or not value.args:
                    continue
                if last_name(value.func) in PARALLEL and text(value.args[0]) != name:
                    made = self.resolver.value(value, frame)
                    if made is not None and made.wraps is not None:
                        found[made.key] = name
        return found

    def past(self, event: SourceEvent) -> Iterator[tuple[ast.Call, CallFrame, str]]:
        """Return the calls behind a loss that go past a wrapper, with the wrapper's name."""
        calls = reach_of(event, self.case.plan, self.resolver).calls
        wrappers = self.through(event)
        through = bool(wrappers)
        for call, frame in calls:
            func = call.func
            method = isinstance(func, ast.Attribute) and func.attr != "module"
            if method and isinstance(func, ast.Attribute) and not self.is_held(func, frame):
                if not TRAINS.search(func.attr):
                    continue
                # A penalty beside the wrapped forward is the same on every rank.
                wrapper = None if through else self.bare(func.value, frame, 0)
            else:
                wrapper = self.bare(func, frame, 0)
            if wrapper is not None and not self.is_bystander(wrapper, event, wrappers):
                yield call, frame, wrapper

    def through(self, event: SourceEvent) -> set[str]:
        """Return the wrappers that a loss went through, as they are spelled."""
        calls = reach_of(event, self.case.plan, self.resolver).calls
        return {text(call.func) for call, frame in calls if self.is_wrapper(call.func, frame)}

    def is_bystander(self, wrapper: str, event: SourceEvent, wrappers: set[str]) -> bool:
        """Tell whether a loss trains another wrapped module, and this one is trained elsewhere.

        A generator's loss may go past the discriminator's wrapper: what it leaves in the
        discriminator is cleared before that one's own backward, which goes through its wrapper.
        """
        return bool(wrappers - {wrapper}) and any(
            wrapper in self.through(other)
            for other in self.case.plan.events
            if other.effect is CallEffect.DEPOSIT and other.loss is not None and other is not event
        )

    def is_held(self, func: ast.Attribute, frame: CallFrame) -> bool:
        """`self.net(...)`: a module that an object keeps, not a method of one."""
        value = self.resolver.value(func, frame)
        return value is not None and value.kind is ValueKind.MODULE

    def is_wrapper(self, node: ast.expr, frame: CallFrame) -> bool:
        """Tell whether an expression is the wrapped module itself."""
        value = self.resolver.value(node, frame)
        return _is_parallel(value) and self.bare(node, frame, 0) is None

    def bare(self, node: ast.expr, frame: CallFrame, depth: int) -> str | None:
        """Return the wrapper of what an expression unwraps."""
        if depth > DEEP:
            return None
        if isinstance(node, ast.Attribute) and node.attr == "module":
            value = self.resolver.value(node.value, frame)
            return text(node.value) if _is_parallel(value) else None
        if isinstance(node, ast.IfExp):
            return self.either(node, frame, depth)
        if isinstance(node, ast.Call):
            return self.returned(node, frame, depth)
        if isinstance(node, ast.Name):
            named = self.named(node, frame, depth)
            if named is not None:
                return named or None
        value = self.resolver.value(node, frame)
        if value is None or value.kind not in MODULES or value.wraps is not None:
            return None
        return self.wrapped.get(value.key)

    def either(self, node: ast.IfExp, frame: CallFrame, depth: int) -> str | None:
        """`m.module if isinstance(m, DDP) else m`: bare either way."""
        sides = (node.body, node.orelse)
        found = [self.bare(side, frame, depth + 1) for side in sides]
        if all(found):
            return found[0]
        for one, other, wrapper in (*zip(sides, reversed(sides), found, strict=True),):
            if wrapper is not None and isinstance(one, ast.Attribute) and one.attr == "module":
                return wrapper if text(one.value) == text(other) else None
        return None

    def named(self, node: ast.Name, frame: CallFrame, depth: int) -> str | None:
        """Follow a name; "" when some way gives it something else, None when it has no ways."""
        found, home = bindings_of(node, frame)
        if home is None:
            return None
        given = home.arguments.get(node.id)
        if not found:
            return self.bare(given[0], given[1], depth + 1) or "" if given is not None else None
        chosen = [item for item in before(found, node) if item.how is BindingKind.ASSIGNED]
        unwraps = [
            self.bare(item.value, home, depth + 1)
            for item in chosen
            if isinstance(item.value, ast.IfExp | ast.Call | ast.Attribute) and not item.index
        ]
        if not any(unwraps):
            return "" if any(isinstance(item.value, ast.IfExp) for item in chosen) else None
        return unwraps[0] if all(unwraps) and len(unwraps) == len(chosen) else ""

    def returned(self, node: ast.Call, frame: CallFrame, depth: int) -> str | None:
        """Follow a helper that unwraps: `unwrap(model)`, `self._get_model()`."""
        target = self.resolver.definition(node.func, frame)
        value = self.resolver.value(node.func, frame) if target is None else None
        if value is not None and isinstance(value.target, Function):
            target = value.target
        if not isinstance(target, Function):
            return self.unwrapped(node, frame)
        inside = call_frames.called(target, node, frame, value.wraps if value else None)
        values = returns(target.node)
        found = [self.bare(item, inside, depth + 1) for item in values]
        bases = {text(item.value) for item in values if isinstance(item, ast.Attribute)}
        plain = [item for item, seen in zip(values, found, strict=True) if seen is None]
        if any(found) and all(text(item) in bases for item in plain):
            return next(item for item in found if item)
        return None

    def unwrapped(self, node: ast.Call, frame: CallFrame) -> str | None:
        """`accelerator.unwrap_model(model)`, as far as the name tells."""
        if not UNWRAPS.match(last_name(node.func) or "") or not node.args:
            return None
        value = self.resolver.value(node.args[0], frame)
        return text(node.args[0]) if _is_parallel(value) else None


def _is_parallel(value: Value | None) -> bool:
    return value is not None and value.kind is ValueKind.MODULE and value.wraps is not None
