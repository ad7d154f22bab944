"""A parsed module and what it defines: functions, classes, imports, and the lines that matter."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from zerograd.lint.program.display_paths import shown
from zerograd.lint.program.scope import Binding, Scope
from zerograd.lint.program.source_file import parse
from zerograd.lint.program.syntax import AROUND, FunctionNode, dotted, nested, walk
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.lint.program.flow import Block
    from zerograd.lint.program.source_file import Source

NAME = re.compile(r"[A-Za-z_]\w*").match
OBJECTS = frozenset({"self", "cls", "this", "_self", "slf", "me"})
"""What the first parameter of a method is called."""


@record(eq=False)
class Function:
    """One function or method, or a module's body, which runs like one."""

    module: Module
    name: str
    """Dotted from the module: `Trainer.train.closure`; empty for the module's body."""

    node: FunctionNode | ast.Lambda | ast.Module
    owner: Class | None = None
    """The class whose method this is."""

    outer: Function | None = None
    """The function in which this one is nested."""

    scope: Scope = field(init=False)
    self_name: str | None = field(init=False)
    """The name of a method's first parameter, unless it is static."""

    flow: Block | None = None
    """Its control flow, once somebody asked for it."""

    def __post_init__(self) -> None:
        parent = self.outer.scope if self.outer else None
        self.scope = Scope(self.node, self.name, parent)
        static = self.owner is None or "staticmethod" in self.decorators
        first = None if static else next(iter(self.parameters), None)
        self.self_name = first.arg if first is not None and self._is_bound(first.arg) else None

    def _is_bound(self, first: str) -> bool:
        """Tell whether a method gets its object: one like `def epoch(model, loader)` may not.

        Python lets `Trainer.epoch(model, loader)` call it as a function.
        """
        return first in OBJECTS or not self.module.mentions(self.name)

    @property
    def last_name(self) -> str:
        """The name without its path."""
        return self.name.rpartition(".")[2]

    @property
    def decorators(self) -> list[str]:
        """The dotted names of the decorators."""
        nodes = getattr(self.node, "decorator_list", [])
        found = [dotted(node.func if isinstance(node, ast.Call) else node) for node in nodes]
        return [name for name in found if name]

    @property
    def parameters(self) -> list[ast.arg]:
        """Positional and keyword-only parameters, in order."""
        if isinstance(self.node, ast.Module):
            return []
        args = self.node.args
        return [*args.posonlyargs, *args.args, *args.kwonlyargs]

    def default(self, name: str) -> ast.expr | None:
        """Return the default value of a parameter."""
        if isinstance(self.node, ast.Module):
            return None
        args = self.node.args
        positional = [*args.posonlyargs, *args.args]
        for parameter, value in zip(reversed(positional), reversed(args.defaults), strict=False):
            if parameter.arg == name:
                return value
        pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
        return next((value for parameter, value in pairs if parameter.arg == name), None)


@record(eq=False)
class Class:
    """One class, with the methods it defines itself."""

    module: Module
    name: str
    node: ast.ClassDef
    methods: dict[str, Function] = field(default_factory=dict)

    assigned: dict[str, list[tuple[Function, list[Binding]]]] | None = None
    """Attribute -> the methods that assign it to self, `__init__` first, with their bindings."""

    def assignments(self, attr: str) -> list[tuple[Function, list[Binding]]]:
        """Where the class's own methods bind `self.attr`."""
        if self.assigned is None:
            self.assigned = {}
            methods = sorted(self.methods.values(), key=lambda item: item.last_name != "__init__")
            for method in methods:
                prefix = f"{method.self_name}."
                for target, found in method.scope.bindings.items():
                    if target.startswith(prefix):
                        name = target[len(prefix) :]
                        self.assigned.setdefault(name, []).append((method, found))
        return self.assigned.get(attr, [])

    @property
    def bases(self) -> list[ast.expr]:
        """The base class expressions."""
        return self.node.bases


class Released(Protocol):
    """What is kept with a module while it is looked at, and can let go of it."""

    def release(self) -> None:
        """Forget everything."""
        ...


class Module:
    """One file of the project, indexed by what it defines; bodies are read when asked for."""

    def __init__(self, source: Source, name: str) -> None:
        self.source = source
        self.name = name
        self.key = shown(source.path)
        """What identifies the file, however its path was spelled."""

        self.tree = parse(source.text)
        self.body = Function(self, "", self.tree)
        self.functions: dict[str, Function] = {"": self.body}
        self.classes: dict[str, Class] = {}
        self.frames: dict[tuple[Function, Class | None], Released] = {}
        """Its functions as nobody calls them; what they know is dropped after its analysis."""

        self._attributes: dict[str, set[str]] = {}
        self._mentions: dict[str, bool] = {}
        self._index()

    @property
    def path(self) -> str:
        """The path that findings in this module show."""
        return self.source.path

    def release_frames(self, *, body: bool) -> None:
        """Drop what was resolved in its functions and, if so asked, in its body."""
        for key in [item for item in self.frames if body or item[0] is not self.body]:
            self.frames.pop(key).release()

    def release(self) -> None:
        """Take the module apart: its parts know it, and would wait for the garbage collector."""
        self.release_frames(body=True)
        for cls in self.classes.values():
            cls.methods.clear()
            cls.assigned = None
        self.functions.clear()
        self.classes.clear()
        vars(self).pop("calls_given", None)
        del self.body

    def _index(self) -> None:
        """Record every function and class, nested ones included."""
        todo: list[tuple[list[ast.stmt], str, Class | None, Function]] = [
            (self.tree.body, "", None, self.body)
        ]
        while todo:
            body, prefix, owner, outer = todo.pop()
            for node in definitions(body):
                name = prefix + node.name
                if isinstance(node, ast.ClassDef):
                    found = self.classes[name] = Class(self, name, node)
                    todo.append((node.body, name + ".", found, outer))
                    continue
                function = Function(self, name, node, owner, outer)
                self.functions[name] = function
                if owner is not None:
                    owner.methods.setdefault(node.name, function)
                todo.append((node.body, name + ".", None, function))

    @cached_property
    def imports(self) -> dict[str, str]:
        """Local name -> dotted origin, for imports anywhere in the file; `m.*` -> `m` for all."""
        found: dict[str, str] = {}
        for node in statements(self.tree.body):
            if isinstance(node, ast.Import):
                for item in node.names:
                    name = item.asname or item.name.partition(".")[0]
                    found[name] = item.name if item.asname else name
            elif isinstance(node, ast.ImportFrom):
                base = self._absolute(node)
                for item in node.names:
                    if item.name == "*":
                        found[f"{base}.*"] = base
                        continue
                    found[item.asname or item.name] = f"{base}.{item.name}" if base else item.name
        return found

    @cached_property
    def calls_given(self) -> dict[str, list[ast.Call]]:
        """Name or path -> the calls that get it as an argument; read once for all findings."""
        found: dict[str, list[ast.Call]] = {}
        for node in walk(self.tree):
            if isinstance(node, ast.Call):
                for value in (*node.args, *(item.value for item in node.keywords)):
                    if (name := dotted(value)) is not None:
                        found.setdefault(name, []).append(node)
        return found

    def attributes(self, name: str) -> set[str]:
        """Return the attributes that the text takes from a dotted name, wherever that is.

        `"optimizer.pt"` and `f"{folder}/optimizer.pt"` are names of files.
        """
        known = self._attributes.get(name)
        if known is None:
            known = self._attributes[name] = set()
            text, word = self.source.text, f"{name}."
            at = text.find(word) if name and "[" not in name else -1
            while at >= 0:
                after = at + len(word)
                begins = at == 0 or not (is_word(text[at - 1]) or text[at - 1] in "./\"'")
                taken = NAME(text, after) if begins else None
                if taken and text[taken.end() : taken.end() + 1] not in ("'", '"'):
                    known.add(taken.group())
                at = text.find(word, after)
        return known

    def mentions(self, word: str) -> bool:
        """Tell whether the text has a word in it; asked twice, searched once."""
        if word not in self._mentions:
            self._mentions[word] = word in self.source.text
        return self._mentions[word]

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Tell whether the text has something of a pattern in it; asked twice, searched once."""
        known = self._mentions.get(pattern.pattern)
        if known is None:
            known = self._mentions[pattern.pattern] = pattern.search(self.source.text) is not None
        return known

    def _absolute(self, node: ast.ImportFrom) -> str:
        """Return the dotted name that a relative import starts from."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        package = parts if self.source.path.endswith("__init__.py") else parts[:-1]
        package = package[: len(package) - node.level + 1]
        return ".".join([*package, *([node.module] if node.module else [])])


def is_word(character: str) -> bool:
    """Tell whether a character can stand in a name."""
    return character.isalnum() or character == "_"


def definitions(body: list[ast.stmt]) -> Iterable[FunctionNode | ast.ClassDef]:
    """Functions and classes defined in a body, also under `if`, `try` and the like."""
    for node in statements(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


def statements(body: list[ast.stmt]) -> Iterable[ast.stmt]:
    """Every statement of a body in source order, without entering functions and classes."""
    todo = list(reversed(body))
    while todo:
        node = todo.pop()
        yield node
        if type(node) in AROUND:
            todo.extend(reversed(nested(node)))
