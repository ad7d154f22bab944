"""Which lines and functions can touch a gradient, found by words before any tree is walked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zerograd.lint.flow import flow_of
from zerograd.lint.lines import Lines
from zerograd.lint.spread import CALL, Span, Spread
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zerograd.lint.flow import Block
    from zerograd.lint.lines import Rest
    from zerograd.lint.module import Function, Module
    from zerograd.lint.project import Project

END = re.compile(r"(?!\w)").match

# A name may have the same word in it many thousand times: what follows each is looked at only so
# far, and what is longer counts as found. Lines too many cost time, lines too few a finding.
NAMED_CALL = re.compile(r"\w{200}|\w*+\s*+\(").match
NAMED_FURTHER_CALL = re.compile(r"\w{200}|\w++\s*+\(").match
DEFINES = re.compile(r"\s*(?:async\s+)?def\s++\w*").fullmatch


def called(text: str, at: int) -> bool:
    """Tell whether the name that goes on here is called: not defined, and not what it saves for."""
    if not NAMED_CALL(text, at):
        return False
    if text.endswith("save_for_backward", 0, at):
        return False
    return not DEFINES(text, text.rfind("\n", 0, at) + 1, at)


ALIAS = re.compile(
    r"^[ \t]*(\w+)[ \t]*=[ \t]*(?:(?:functools\.)?partial\()?[\w.]+"
    r"\.(?:step|zero_grad|backward)[ \t]*(?:$|\)|,|#)",
    re.MULTILINE,
)
"""`step = optimizer.step`, `step = partial(optimizer.step)`: an event's method by another name."""


def aliases(module: Module) -> set[str]:
    """Return the names under which a module calls methods that are events."""
    if not module.matches(ALIAS):
        return set()
    return set(ALIAS.findall(module.source.text))


STRONG: Mapping[str, Rest | None] = {
    "backward": called,
    "zero_grad": None,
    ".step": CALL,
    ".grad": END,
    "clip_grad": None,
    "unscale_": None,
    "optimizer_step": None,
    "_foreach_": None,
    "setattr": re.compile(r"\s*+\((?:[^\n]{0,500}?grad|[^\n]{500})").match,
    "update_params": None,
    "first_step": None,
    "second_step": None,
    "loss_scaler": None,
    "getattr": re.compile(r"\s*\([^()\n]*\)\s*\(").match,
}
"""Words of real events, with what must follow: a function with one of them is worth entering."""

SCALING: Mapping[str, Rest | None] = {".update": CALL}
"""The same where something is a scaler: dictionaries have the word too."""

WEAK: Mapping[str, Rest | None] = {
    "no_sync": None,
    "grad_sync": None,
    "requires_grad": None,
    "optim": None,
    "Optim": None,
    "opt": re.compile(r"\w{200}|\w*+\s*+=").match,
    "SGD": CALL,
    "Adam": NAMED_CALL,
    "fit": CALL,
    "train": re.compile(r"\w{60}|\w*_(?:step|batch|epoch|iter)\w*+\s*+\(").match,
    "update_": NAMED_FURTHER_CALL,
    "_grad": re.compile(r"s?\s*\(").match,
    "zero": NAMED_CALL,
    "grad_": NAMED_FURTHER_CALL,
    "scale_loss": None,
    ".add_": CALL,
    ".sub_": CALL,
    ".copy_": CALL,
    ".mul_": CALL,
    ".addcdiv_": CALL,
    ".data": END,
    "_step": CALL,
}
"""Words on lines that matter only inside a function that is worth entering."""

MOST_WAITING = 1_000
"""Modules of which each imports the next; what lies behind them is taken to touch nothing."""


@record()
class Warmth:
    """The lines on which something may happen, and the functions that hold one."""

    lines: list[int] = field(default_factory=list)
    functions: dict[str, str] = field(default_factory=dict)
    """Each with what a call of it is spelled with."""

    names: set[str] = field(default_factory=set)
    """What calls of functions that matter are spelled with here, those of other modules too."""


@record(eq=False)
class _Begun:
    """A module that waits for what it imports; its syntax may be forgotten meanwhile."""

    warmth: Warmth
    spread: Spread
    lines: set[int]
    imports: list[tuple[str, str, str | None]]
    """Local name, path, and the name there; none for a whole module."""

    todo: list[str]
    """Paths that were not asked for yet."""


class Heat:
    """Answers which functions matter; kept by path, because parsed modules come and go."""

    def __init__(self, project: Project) -> None:
        self.project = project
        rows = [name for name in project.knowledge.rows if f".{name}" not in SCALING]
        self.strong = {**dict.fromkeys(rows, CALL), **STRONG}
        self._known: dict[str, Warmth] = {}

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
        known = self._known.get(module.key)
        if known is None:
            self._warm(module)
            known = self._known[module.key]
        return known

    def _warm(self, module: Module) -> None:
        """Warm a module and, before it is done, those that it imports, and so on.

        They wait for each other in a list: a circle of 300 modules is too deep for calls.
        """
        waiting = [self._begin(module)]
        while waiting:
            begun = waiting[-1]
            if not begun.todo:
                self._finish(waiting.pop())
                continue
            path = begun.todo.pop()
            if path not in self._known and len(waiting) < MOST_WAITING:
                imported = self.project.glance(path, self._begin)
                if imported is not None:
                    waiting.append(imported)

    def _begin(self, module: Module) -> _Begun:
        """Start from the events' own words, and add callers of what they heat."""
        # Modules that import each other ask for this one while it is being warmed.
        warmth = self._known[module.key] = Warmth()
        text = module.source.text
        is_scaling = any(word in text for word in ("caler", "unscale_"))
        lines = Lines(text)
        strong = lines.having({**self.strong, **SCALING} if is_scaling else self.strong)
        weak = lines.having(WEAK)
        warmth.names |= aliases(module)
        spread = Spread(lines, map(_span, module.functions.values()), warmth.functions)
        # Its own functions first: modules that it imports may call them.
        called = spread.over(strong, warmth.names)
        imports = self._imports(module)
        todo = [path for _, path, _ in reversed(imports)]
        return _Begun(warmth, spread, strong | weak | called, imports, todo)

    def _finish(self, begun: _Begun) -> None:
        """Add the callers of what was imported."""
        warmth = begun.warmth
        for local, path, last in begun.imports:
            imported = self._known.get(path)
            if imported is None or (imported is warmth and last is not None):
                continue
            warmth.names.update(
                local if name == last else called
                for name, called in imported.functions.items()
                if last is None or name.partition(".")[0] == last
            )
        begun.lines |= begun.spread.over(set(), warmth.names)
        warmth.lines = sorted(begun.lines)

    def _imports(self, module: Module) -> list[tuple[str, str, str | None]]:
        """Return what a module imports from the project's candidates."""
        found: list[tuple[str, str, str | None]] = []
        for local, origin in module.imports.items():
            whole = self.project.candidate(origin, module)
            if whole is not None:
                found.append((local, whole, None))
                continue
            package, _, last = origin.rpartition(".")
            owner = self.project.candidate(package, module) if package else None
            if owner is not None:
                found.append((local, owner, last))
        return found


def _span(function: Function) -> Span:
    first: int = getattr(function.node, "lineno", 0)
    last: int = getattr(function.node, "end_lineno", first)
    owner = function.owner.name if function.owner is not None else ""
    maker = owner if function.last_name == "__call__" else ""
    called = function.last_name
    if called == "__init__" and owner:
        called = owner.rpartition(".")[2]
    return Span(function.name, called, first, last, maker)
