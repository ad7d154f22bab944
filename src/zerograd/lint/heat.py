"""Which lines and functions can touch a gradient, found by words before any tree is walked."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from zerograd.lint.flow import flow_of
from zerograd.lint.module import Warmth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.lint.flow import Block
    from zerograd.lint.module import Function, Module
    from zerograd.lint.project import Project

STRONG = (
    r"backward|zero_grad|\.step\s*\(|\.grad\b|clip_grad|unscale_|optimizer_step|_foreach_|setattr\s*\("
    r"|update_params|first_step|second_step|loss_scaler|\.update\s*\("
    r"|getattr\s*\([^()\n]*\)\s*\("
)
"""Words of real events: a function with one of them is worth entering."""

# Every alternative starts with a letter or dot of its own: that is what makes `re` fast here.
WEAK = (
    r"|no_sync|grad_sync|requires_grad|optim|Optim|opt\w*\s*=|SGD\s*\(|Adam\w*\s*\("
    r"|fit\s*\(|train\w*_(?:step|batch|epoch|iter)\w*\s*\(|update_\w+\s*\(|_grads?\s*\(|zero\w*\s*\("
    r"|grad_\w+\s*\(|scale_loss|\.(?:add|sub|copy|mul|addcdiv)_\s*\(|\.data\b|_step\s*\("
)
ROUNDS = 8


class Heat:
    """Answers which functions matter; the answers live with the module they are about."""

    def __init__(self, project: Project) -> None:
        self.project = project
        known = "|".join(sorted(map(re.escape, project.knowledge.rows)))
        self.strong = re.compile(f"{STRONG}|{known}" if known else STRONG)
        self.every = re.compile(self.strong.pattern + WEAK)

    def eventful(self, function: Function) -> bool:
        """Tell whether a function, or what it calls, may touch an account."""
        return function.name in self.warmth(function.module).functions

    def flow(self, function: Function) -> Block:
        """Return the flow of a function's body."""
        if function.flow is None:
            body = getattr(function.node, "body", [])
            lines = self.warmth(function.module).lines
            function.flow = flow_of(body, function.scope, lines) if isinstance(body, list) else []
        return function.flow

    def warmth(self, module: Module) -> Warmth:
        """Return the lines and functions of a module that matter."""
        if module.warmth is None:
            # Modules that import each other ask for this one while it is being warmed.
            module.warmth = Warmth()
            self._warm(module, module.warmth)
        return module.warmth

    def _warm(self, module: Module, warmth: Warmth) -> None:
        """Start from the events' own words, then add callers of what they heat."""
        found = warmth.functions
        strong = module.lines_with(self.strong)
        lines = {*strong, *module.lines_with(self.every)}
        names = self._imported(module)
        for _ in range(ROUNDS):
            fresh = [
                item
                for item in module.functions.values()
                if item.name not in found and _touches(item, strong)
            ]
            found.update(item.name for item in fresh)
            names |= {name for item in fresh for name in _called_as(item)}
            if not names:
                break
            called = module.lines_with(_calls(names))
            lines |= set(called)
            strong = sorted({*strong, *called})
            if not fresh:
                break
        warmth.lines = sorted(lines)

    def _imported(self, module: Module) -> set[str]:
        """Names under which this module knows eventful functions of the project's others."""
        names: set[str] = set()
        for local, origin in module.imports.items():
            whole = self.project.candidate(origin, module)
            if whole is not None:
                names |= {
                    _callable_name(item)
                    for item in whole.functions.values()
                    if item.name in self.warmth(whole).functions
                }
                continue
            package, _, last = origin.rpartition(".")
            owner = self.project.candidate(package, module) if package else None
            if owner is None or owner is module:
                continue
            for item in owner.functions.values():
                if (
                    item.name in self.warmth(owner).functions
                    and item.name.partition(".")[0] == last
                ):
                    names.add(local if item.name == last else _callable_name(item))
        return names


def _callable_name(function: Function) -> str:
    """Return what a call of the function is spelled with."""
    if function.last_name == "__init__" and function.owner is not None:
        return function.owner.name.rpartition(".")[2]
    return function.last_name


def _called_as(function: Function) -> set[str]:
    """Return the names that call a function here: for `__call__` those of its objects."""
    if function.last_name != "__call__" or function.owner is None:
        return {_callable_name(function)} if function.name else set()
    made = rf"([A-Za-z_]\w*)\s*=\s*{re.escape(function.owner.name)}\("
    return set(re.findall(made, function.module.source.text))


def _calls(names: set[str]) -> re.Pattern[str]:
    return re.compile(r"(?:" + "|".join(sorted(map(re.escape, names))) + r")\s*\(")


def _touches(function: Function, lines: Sequence[int]) -> bool:
    """Tell whether one of the lines stands inside the function."""
    if not function.name:
        return False
    first: int = getattr(function.node, "lineno", 0)
    last: int = getattr(function.node, "end_lineno", first)
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= last
