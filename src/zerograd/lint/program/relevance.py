"""Which lines and functions can touch a gradient, found by words before any tree is walked."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.program.event_words import EVENT_WORDS, NAMED_CALL, Weight
from zerograd.lint.program.flow import flow_of
from zerograd.lint.program.project import PACKAGES
from zerograd.lint.program.relevant_callers import CALL, RelevantCallers, Span
from zerograd.lint.program.syntax import last_name
from zerograd.lint.program.word_lines import WordLines
from zerograd.record import field, record

if TYPE_CHECKING:
    from zerograd.lint.program.flow import Block
    from zerograd.lint.program.module import Class, Function, Module
    from zerograd.lint.program.project import Project
    from zerograd.lint.program.word_lines import Rest

FOLLOWS = re.compile(NAMED_CALL).match
DEFINES = re.compile(r"\s*(?:async\s+)?def\s++\w*").fullmatch


def called(text: str, at: int) -> bool:
    """Tell whether the name that goes on here is called: not defined, and not what it saves for."""
    if not FOLLOWS(text, at):
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


GRADIENT_NAMES = re.compile(
    r"^[ \t]*(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*=[^=\n][^\n]{0,200}?\.grad\b(?!\()", re.MULTILINE
)
"""`g = z.grad`, `dw, db = w.grad, b.grad`: names that gradients go by."""


def _updates_by_name(text: str, lines: WordLines) -> set[int]:
    """Return the lines with `w -= rate * g`, where `g` was given a gradient."""
    named = GRADIENT_NAMES.findall(text) if ".grad" in text else []
    names = {name.strip() for found in named for name in found.split(",")}
    if not names:
        return set()
    ends = dict.fromkeys(names, re.compile(r"\b").match)
    return lines.having(ends, whole=True) & lines.having(dict.fromkeys(("-=", "+=")))


def _words(weight: Weight) -> dict[str, Rest | None]:
    """Return the words of a weight, each with what tells whether the right thing follows."""
    return {
        item.word: called if item.word == "backward" else _rest(item.then)
        for item in EVENT_WORDS
        if item.weight is weight
    }


def _rest(then: str) -> Rest | None:
    return re.compile(then).match if then else None


STRONG = _words(Weight.EVENT)
"""Words of real events, with what must follow: a function with one of them is worth entering."""

SCALING = _words(Weight.SCALING)
WEAK = _words(Weight.INSIDE)
"""Words on lines that matter only inside a function that is worth entering."""

OWN_CALL = re.compile(r"\bself\.(\w++)\s*+\(")
OWN_NAME = re.compile(r"\bself\.(\w++)\s*+(?:=[^=]|,|:)")
"""What an object calls on itself, and what its methods assign to it."""

SHORT = 2
"""Statements of a method that does nothing: a docstring, and `pass`."""

MOST_WAITING = 1_000
"""Modules of which each imports the next; what lies behind them is taken to touch nothing."""


@record()
class RelevantParts:
    """The lines on which something may happen, and the functions that hold one."""

    lines: list[int] = field(default_factory=list)
    functions: dict[str, str] = field(default_factory=dict)
    """Each with what a call of it is spelled with."""

    passed_on: dict[str, str] = field(default_factory=dict)
    """Functions that matter of what it imports by name, for those that import it from here."""

    names: set[str] = field(default_factory=set)
    """What calls of functions that matter are spelled with here, those of other modules too."""


@record(eq=False)
class _Begun:
    """A module that waits for what it imports; its syntax may be forgotten meanwhile."""

    parts: RelevantParts
    callers: RelevantCallers
    lines: set[int]
    imports: list[tuple[str, str, str | None]]
    """Local name, path, and the name there; none for a whole module."""

    todo: list[str]
    """Paths that were not asked for yet."""


class Relevance:
    """Answers which functions matter; kept by path, because parsed modules come and go."""

    def __init__(self, project: Project) -> None:
        self.project = project
        rows = [name for name in project.knowledge.rows if f".{name}" not in SCALING]
        self.strong = {**dict.fromkeys(rows, CALL), **STRONG}
        self._known: dict[str, RelevantParts] = {}
        self._passed_on: dict[tuple[str, str], tuple[str, str] | None] = {}
        """By a package's path and a name of its: where that is defined."""

        self._all_passed_on: dict[str, list[str]] = {}

    def eventful(self, function: Function) -> bool:
        """Tell whether a function, or what it calls, may touch an account."""
        return function.name in self.parts(function.module).functions

    def flow(self, function: Function) -> Block:
        """Return the flow of a function's body."""
        if function.flow is None:
            body = getattr(function.node, "body", [])
            lines = self.parts(function.module).lines
            function.flow = flow_of(body, function.scope, lines) if isinstance(body, list) else []
        return function.flow

    def parts(self, module: Module) -> RelevantParts:
        """Return the lines and functions of a module that matter."""
        known = self._known.get(module.key)
        if known is None:
            self._find(module)
            known = self._known[module.key]
        return known

    def _find(self, module: Module) -> None:
        """Search a module and, before it is done, those that it imports, and so on.

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
        """Start from the events' own words, and add callers of the functions that hold one."""
        # Modules that import each other ask for this one while it is being searched.
        parts = self._known[module.key] = RelevantParts()
        text = module.source.text
        is_scaling = any(word in text for word in ("caler", "unscale_"))
        lines = WordLines(text)
        strong = lines.having({**self.strong, **SCALING} if is_scaling else self.strong)
        weak = lines.having(WEAK)
        weak |= _updates_by_name(text, lines)
        hooks = {item.last_name for item in module.functions.values() if _is_hook(item)}
        hooks |= _missing(module)
        strong |= lines.having(dict.fromkeys((f".{name}" for name in sorted(hooks)), CALL))
        parts.names |= hooks
        parts.names |= aliases(module)
        callers = RelevantCallers(lines, map(_span, module.functions.values()), parts.functions)
        # Its own functions first: modules that it imports may call them.
        called = callers.over(strong, parts.names)
        imports = self._imports(module)
        todo = [path for _, path, _ in reversed(imports)]
        return _Begun(parts, callers, strong | weak | called, imports, todo)

    def _finish(self, begun: _Begun) -> None:
        """Add the callers of what was imported."""
        parts = begun.parts
        for local, path, last in begun.imports:
            imported = self._known.get(path)
            if imported is None or (imported is parts and last is not None):
                continue
            for name, called_as in (*imported.functions.items(), *imported.passed_on.items()):
                owner, dot, rest = name.partition(".")
                if last is None:
                    parts.names.add(called_as)
                elif owner == last:
                    called_here = called_as if dot else local
                    parts.names.add(called_here)
                    parts.passed_on[f"{local}{dot}{rest}"] = called_here
        begun.lines |= begun.callers.over(set(), parts.names)
        parts.lines = sorted(begun.lines)

    def _imports(self, module: Module) -> list[tuple[str, str, str | None]]:
        """Return what a module imports from the project's candidates."""
        found: list[tuple[str, str, str | None]] = []
        for local, origin in module.imports.items():
            whole = self.project.candidate(origin, module)
            if whole is not None:
                found.append((local, whole, None))
                continue
            # `import agents`, `from agents import *`: all that the package passes on.
            found += [(local, path, None) for path in self._all_behind(origin, module)]
            package, _, last = origin.rpartition(".")
            if package and (defined := self._defined(package, last, module)) is not None:
                found.append((local, *defined))
        return found

    def _all_behind(self, name: str, importer: Module, packages: int = PACKAGES) -> list[str]:
        """Return the candidates whose names a package passes on, itself through others."""
        path = self.project.package(name, importer) if packages else None
        if path is None:
            return []
        if path not in self._all_passed_on:
            self._all_passed_on[path] = []  # for packages that import each other
            self._all_passed_on[path] = (
                self.project.glance(path, lambda module: self._origins(module, packages - 1)) or []
            )
        return self._all_passed_on[path]

    def _origins(self, package: Module, packages: int) -> list[str]:
        found: dict[str, None] = {}
        for origin in package.imports.values():
            for name in (origin, origin.rpartition(".")[0]):
                path = self.project.candidate(name, package) if name else None
                behind = [path] if path else self._all_behind(name, package, packages)
                found |= dict.fromkeys(behind)
        return list(found)

    def _defined(
        self, package: str, name: str, importer: Module, packages: int = PACKAGES
    ) -> tuple[str, str] | None:
        """Return the candidate that defines a name, and what it calls it.

        `from rl.ppo import PPO`: rl/ppo/__init__.py holds no event, and has it from rl/ppo/ppo.py.
        """
        owner = self.project.candidate(package, importer)
        if owner is not None:
            return owner, name
        path = self.project.package(package, importer) if packages else None
        if path is None:
            return None
        if (path, name) not in self._passed_on:
            self._passed_on[path, name] = self.project.glance(
                path, lambda module: self._behind(module, name, packages - 1)
            )
        return self._passed_on[path, name]

    def _behind(self, package: Module, name: str, packages: int) -> tuple[str, str] | None:
        """Return the candidate from which a package imports a name."""
        origin, _, last = package.imports.get(name, "").rpartition(".")
        if origin:
            return self._defined(origin, last, package, packages)
        for local, behind in package.imports.items():
            found = self._defined(behind, name, package, packages) if local[-1] == "*" else None
            if found is not None and self._has(found):
                return found
        return None

    def _has(self, defined: tuple[str, str]) -> bool:
        """Tell whether a candidate that is imported with a star defines a name."""
        path, name = defined
        return bool(
            self.project.glance(
                path, lambda module: name in module.functions or name in module.classes
            )
        )


def _missing(module: Module) -> set[str]:
    """Return the methods that a class without bases calls on itself and leaves to subclasses."""
    bare = [cls for cls in module.classes.values() if _has_no_base(cls)]
    if not bare:
        return set()
    lines = module.source.text.split("\n")
    found: set[str] = set()
    for cls in bare:
        text = "\n".join(lines[cls.node.lineno - 1 : cls.node.end_lineno])
        called = set(OWN_CALL.findall(text)) - cls.methods.keys()
        found |= called - set(OWN_NAME.findall(text)) if called else called
    return found


def _has_no_base(cls: Class) -> bool:
    return all(last_name(base) in ("object", "ABC") for base in cls.bases)


def _is_hook(function: Function) -> bool:
    """Tell whether a method leaves what it does to subclasses: it passes, or raises."""
    if function.owner is None or function.last_name.startswith("__"):
        return False
    body = getattr(function.node, "body", [])
    return len(body) <= SHORT and all(_says_nothing(stmt) for stmt in body)


def _says_nothing(stmt: ast.stmt) -> bool:
    """`pass`, `...`, a docstring, `raise NotImplementedError`."""
    if isinstance(stmt, ast.Raise):
        raised = stmt.exc.func if isinstance(stmt.exc, ast.Call) else stmt.exc
        return raised is not None and last_name(raised) == "NotImplementedError"
    return isinstance(stmt, ast.Pass) or (
        isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
    )


def _span(function: Function) -> Span:
    first: int = getattr(function.node, "lineno", 0)
    last: int = getattr(function.node, "end_lineno", first)
    owner = function.owner.name if function.owner is not None else ""
    maker = owner if function.last_name == "__call__" else ""
    called = function.last_name
    if called == "__init__" and owner:
        called = owner.rpartition(".")[2]
    return Span(function.name, called, first, last, maker)
