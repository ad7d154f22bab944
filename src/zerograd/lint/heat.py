"""Which lines and functions can touch a gradient, found by words before any tree is walked."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from zerograd.lint.flow import flow_of
from zerograd.lint.module import Warmth

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zerograd.lint.flow import Block
    from zerograd.lint.module import Function, Module, Rest
    from zerograd.lint.project import Project

CALL = re.compile(r"\s*\(").match
END = re.compile(r"(?!\w)").match
NAMED_CALL = re.compile(r"\w*\s*\(").match
MADE = re.compile(r"([A-Za-z_]\w*)\s*=\s*\Z").search
"""The name that is given what is made next."""

NEAR = 200
"""Characters in which that name is looked for."""

DEFINES = re.compile(r"\s*(?:async\s+)?def\s").match


def called(text: str, at: int) -> bool:
    """Tell whether the name that goes on here is called: not defined, and not what it saves for."""
    if not NAMED_CALL(text, at):
        return False
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return not line.endswith("save_for_backward") and not DEFINES(line)


STRONG: Mapping[str, Rest | None] = {
    "backward": called,
    "zero_grad": None,
    ".step": CALL,
    ".grad": END,
    "clip_grad": None,
    "unscale_": None,
    "optimizer_step": None,
    "_foreach_": None,
    "setattr": re.compile(r"\s*\([^\n]*grad").match,
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
    "opt": re.compile(r"\w*\s*=").match,
    "SGD": CALL,
    "Adam": NAMED_CALL,
    "fit": CALL,
    "train": re.compile(r"\w*_(?:step|batch|epoch|iter)\w*\s*\(").match,
    "update_": re.compile(r"\w+\s*\(").match,
    "_grad": re.compile(r"s?\s*\(").match,
    "zero": NAMED_CALL,
    "grad_": re.compile(r"\w+\s*\(").match,
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

ROUNDS = 8


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
            # Modules that import each other ask for this one while it is being warmed.
            known = self._known[module.key] = Warmth()
            self._warm(module, known)
        return known

    def _warm(self, module: Module, warmth: Warmth) -> None:
        """Start from the events' own words, then add callers of what they heat."""
        is_scaling = any(word in module.source.text for word in ("caler", "unscale_"))
        strong = module.lines_with({**self.strong, **SCALING} if is_scaling else self.strong)
        lines = strong | module.lines_with(WEAK)
        # Its own functions first: modules that it imports may call them.
        searched: set[str] = set()
        lines |= _spread(module, warmth, strong, searched)
        warmth.names |= self._imported(module)
        lines |= _spread(module, warmth, strong, searched)
        warmth.lines = sorted(lines)

    def _imported(self, module: Module) -> set[str]:
        """Names under which this module knows eventful functions of the project's others."""
        names: set[str] = set()
        for local, origin in module.imports.items():
            whole = self._candidate(origin, module)
            if whole is not None:
                names.update(whole.functions.values())
                continue
            package, _, last = origin.rpartition(".")
            owner = self._candidate(package, module) if package else None
            if owner is None or owner is self._known[module.key]:
                continue
            names.update(
                local if name == last else called
                for name, called in owner.functions.items()
                if name.partition(".")[0] == last
            )
        return names

    def _candidate(self, name: str, importer: Module) -> Warmth | None:
        """Return the warmth of an imported module, if that is a candidate of the project."""
        path = self.project.candidate(name, importer)
        if path is None:
            return None
        return self._known[path] if path in self._known else self.project.glance(path, self.warmth)


def _spread(module: Module, warmth: Warmth, strong: set[int], searched: set[str]) -> set[int]:
    """Add the functions that hold a strong line, and those that call them, and so on.

    Names that were `searched` for already are not searched again.
    """
    found, names = warmth.functions, warmth.names
    lines: set[int] = set()
    for _ in range(ROUNDS):
        called = module.lines_with(dict.fromkeys(names - searched, CALL), whole=True)
        searched |= names
        lines |= called
        strong |= called
        hot = sorted(strong)
        fresh = [
            item
            for item in module.functions.values()
            if item.name not in found and _touches(item, hot)
        ]
        if not fresh:
            break
        found.update((item.name, _callable_name(item)) for item in fresh)
        names.update(name for item in fresh for name in _called_as(item))
    return lines


def _callable_name(function: Function) -> str:
    """Return what a call of the function is spelled with."""
    if function.last_name == "__init__" and function.owner is not None:
        return function.owner.name.rpartition(".")[2]
    return function.last_name


def _called_as(function: Function) -> set[str]:
    """Return the names that call a function here: for `__call__` those of its objects."""
    if function.last_name != "__call__" or function.owner is None:
        return {_callable_name(function)} if function.name else set()
    text, word = function.module.source.text, f"{function.owner.name}("
    found = set()
    at = text.find(word)
    while at >= 0:
        if made := MADE(text[max(0, at - NEAR) : at]):
            found.add(made[1])
        at = text.find(word, at + 1)
    return found


def _touches(function: Function, lines: Sequence[int]) -> bool:
    """Tell whether one of the lines stands inside the function."""
    if not function.name:
        return False
    first: int = getattr(function.node, "lineno", 0)
    last: int = getattr(function.node, "end_lineno", first)
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= last
