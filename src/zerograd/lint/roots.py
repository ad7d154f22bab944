"""Where interpretation begins: module bodies, and functions that nothing in the project calls."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.analysis_budget import UnseenError, file_budget
from zerograd.lint.events import events_of
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.knowledge.shipped import REPEATED_METHODS
from zerograd.lint.program.flow import Act, LoopNode, Node
from zerograd.lint.program.flow.graph import blocks
from zerograd.lint.program.module import Class, Function
from zerograd.lint.values import call_frames
from zerograd.lint.values.spelling import bindings_of
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events import SourceEvent
    from zerograd.lint.program.module import Module
    from zerograd.lint.program.relevance import Relevance
    from zerograd.lint.values.resolver import Resolver

Place = tuple[str, str]
"""A function by its module's path and its name."""

Start = tuple[str, str, str]
"""The same, and the class whose object runs it, as `path:Class`; empty for the function's own."""

Calls = dict[str, set[Place]]
"""Each function of a file with those that it runs."""

FAR = 2
"""Modules between a helper and the program that runs it."""

MOST = 16
"""Modules that are asked whether they run a helper."""

MOST_CONCRETE = 8
"""Classes with which a method of their base is run."""


@record(frozen=True)
class Root:
    """A function to interpret, and how it is entered."""

    function: Function
    repeated: bool = False
    """A framework calls it once a batch."""

    fresh: bool = False
    """Nothing happened before it."""

    receiver: Class | None = None
    """The class whose object runs it, where that is not the one that defines it."""


class Roots:
    """Finds where interpretation begins; who runs whom is kept from one module to the next."""

    def __init__(self, resolver: Resolver, relevance: Relevance) -> None:
        self.resolver, self.relevance = resolver, relevance
        self._calls: dict[str, Calls | None] = {}
        self._unread: dict[str, str] = {}
        """Files that were given up, and why."""

    def of(self, module: Module) -> list[Start]:
        """Return the roots of a module and, elsewhere, those that run its functions.

        Raises UnseenError when the module is too large for its calls to be read.
        """
        around = self._neighbours(module.key)
        if module.key in self._unread:
            raise UnseenError(self._unread[module.key])
        calls: dict[Place, set[Place]] = {}
        for path, known in around.items():
            for name, targets in known.items():
                calls[path, name] = targets
        # A test calls a method once or twice: the loop that trains with it is elsewhere.
        seriously = [
            targets
            for place, targets in calls.items()
            if place[0] == module.key or not _tests(place)
        ]
        called = set().union(*seriously) if seriously else set()
        reaching = _reaching(module.key, calls)
        relevant = self.relevance.parts(module).functions
        roots = []
        for path, known in around.items():
            own = path == module.key
            names = (name for name in module.functions if name in relevant) if own else known
            for name in dict.fromkeys(["", *names]):
                place = (path, name)
                if place not in called and (own or place in reaching):
                    roots.append(place)
        concrete = [start for place in roots for start in self._concrete(place, around)]
        return list(dict.fromkeys([*concrete, *self._inherited(module)]))

    def at(self, start: Start) -> Root | None:
        """Return the root of a place; None if its file was changed meanwhile."""
        path, name, receiver = start
        module = self.resolver.project.at(path)
        function = module.functions.get(name) if module is not None else None
        if function is None:
            return None
        home, _, cls = receiver.rpartition(":")
        other = self.resolver.project.at(home) if home else None
        found = other.classes.get(cls) if other is not None else None
        if receiver and found is None:
            return None
        return Root(function, repeats(function, self.resolver), fresh=not name, receiver=found)

    def _concrete(self, place: Place, around: dict[str, Calls]) -> list[Start]:
        """Return a method with the classes that inherit it and fill in what it leaves open.

        `fit` of a base class calls `self.train_step`, which only its subclasses write: it is they
        that run. The base runs by itself where somebody makes an object of it.
        """
        path, name = place
        module = self.resolver.project.at(path)
        function = module.functions.get(name) if module is not None else None
        owner = function.owner if function is not None else None
        if owner is None or function is None:
            return [(path, name, "")]
        modules = [self.resolver.project.at(other) for other in around]
        found = [
            cls
            for other in modules
            if other is not None and other.mentions(owner.name)
            for cls in other.classes.values()
            if cls is not owner and self._fills(cls, owner, function)
        ]
        if not found:
            return [(path, name, "")]
        made = re.compile(rf"\b{re.escape(owner.name)}\s*\(")
        alone = any(other is not None and made.search(other.source.text) for other in modules)
        starts = [(path, name, f"{cls.module.key}:{cls.name}") for cls in found[:MOST_CONCRETE]]
        return [(path, name, ""), *starts] if alone else starts

    def _fills(self, cls: Class, owner: Class, function: Function) -> bool:
        """Tell whether a class inherits a method, and writes others of its base's anew."""
        if function.last_name in cls.methods:
            return False
        used = owner.module.mentions
        filled = any(
            self.relevance.eventful(method)
            for name, method in cls.methods.items()
            if name != "__init__" and (name in owner.methods or used(f".{name}("))
        )
        built = cls.methods.get("__init__")
        given = built is not None and any(
            not owner.assignments(name.partition(".")[2]) and used(f"{name}.")
            for name in built.scope.bindings
            if name.startswith(f"{built.self_name}.")
        )
        return (filled or given) and owner in call_frames.lineage(cls, self.resolver)

    def _inherited(self, module: Module) -> Iterator[Start]:
        """Yield the methods of bases in other files that the classes of a module run."""
        for cls in module.classes.values():
            for base in list(call_frames.lineage(cls, self.resolver))[1:]:
                if base.module is module:
                    continue
                calls = self.calls(base.module.key) or {}
                called = set().union(*calls.values()) if calls else set()
                for method in base.methods.values():
                    place = (base.module.key, method.name)
                    if (
                        method.name in calls
                        and place not in called
                        and self._fills(cls, base, method)
                    ):
                        yield (*place, f"{module.key}:{cls.name}")

    def _neighbours(self, path: str) -> dict[str, Calls]:
        """Return what a file runs and what those run that import it, directly or through others."""
        found = {path: self.calls(path) or {}}
        fresh = [path]
        for _ in range(FAR):
            importers = [other for item in fresh for other in self.resolver.project.importers(item)]
            fresh = []
            for other in importers:
                if other in found or len(found) >= MOST:
                    continue
                calls = self.calls(other)
                if calls is not None:
                    found[other] = calls
                    fresh.append(other)
        return found

    def calls(self, path: str) -> Calls | None:
        """Which of the project's eventful functions each function of a file runs, if it parses."""
        if path not in self._calls:
            module = self.resolver.project.at(path)
            self._calls[path] = None if module is None else self._calls_within(module)
        return self._calls[path]

    def loops_of(self, module: Module) -> list[str]:
        """Return the names of a file's functions that have a loop with a deposit of their own."""
        return [
            name
            for name in self.calls(module.key) or ()
            if name and self._has_loop(module.functions[name])
        ]

    def _has_loop(self, function: Function) -> bool:
        todo = [item for item in self.relevance.flow(function) if not isinstance(item, Act)]
        inside: list[Node] = []
        while todo:
            node = todo.pop()
            inner = [item for block in blocks(node) for item in block]
            (inside if isinstance(node, LoopNode) else todo).extend(inner)
        frame = self.resolver.alone(function)
        while inside:
            node = inside.pop()
            for part in node.parts if isinstance(node, Act) else ():
                events = events_of(part, frame, self.resolver, self.relevance)
                if any(event.effect is CallEffect.DEPOSIT for event in events):
                    return True
            inside.extend(item for block in blocks(node) for item in block)
        return False

    def _calls_within(self, module: Module) -> Calls | None:
        """Read a file's calls on a budget of its own: others ask for them too."""
        before = self.resolver.budget
        self.resolver.budget = file_budget(before.deadline)
        try:
            return self._calls_of(module)
        except UnseenError as stop:
            self._unread[module.key] = str(stop)
        except RecursionError:
            self._unread[module.key] = "nested too deeply"
        finally:
            self.resolver.budget = before
        return None

    def _calls_of(self, module: Module) -> Calls:
        found: Calls = {}
        for name, function in module.functions.items():
            if name and not self.relevance.eventful(function):
                continue
            targets = self._targets(function)
            if targets or name:
                found[name] = targets
        return found

    def _targets(self, function: Function) -> set[Place]:
        return {
            (run.module.key, run.name)
            for event in self._events(function)
            for run in _runs(event, self.resolver)
            if run is not function
        }

    def _events(self, function: Function) -> Iterator[SourceEvent]:
        """Read the events of a function's own statements, calls not entered."""
        frame = self.resolver.alone(function)
        todo = list(self.relevance.flow(function))
        while todo:
            node = todo.pop()
            if isinstance(node, Act):
                for part in node.parts:
                    yield from events_of(part, frame, self.resolver, self.relevance)
            for inner in blocks(node):
                todo.extend(inner)


def _runs(event: SourceEvent, resolver: Resolver) -> Iterator[Function]:
    """Yield what an event runs, and functions of other files that its fault could stand in."""
    if (run := event.enters or event.closure) is not None:
        yield run
    home = event.frame.function.module
    if event.effect is CallEffect.BUILD:
        made = [value.frame.function for value in event.targets if value.frame is not None]
        yield from (function for function in made if function.module is not home)
    elif event.effect is CallEffect.DEPOSIT and home.mentions("DistributedDataParallel"):
        # The only rule that stands on a line which computes the loss: wrapper-bypassed.
        yield from _losses(event, resolver)


def _losses(event: SourceEvent, resolver: Resolver) -> Iterator[Function]:
    """Yield the functions of other files that a deposit's loss is computed by."""
    frame = event.frame
    for binding in bindings_of(event.loss, frame)[0] if event.loss is not None else ():
        if isinstance(binding.value, ast.Call):
            found = resolver.definition(binding.value.func, frame)
            if isinstance(found, Function) and found.module is not frame.function.module:
                yield found


def _tests(place: Place) -> bool:
    """Tell whether a function stands in a file of tests."""
    *folders, name = place[0].replace("\\", "/").split("/")
    return name.startswith("test_") or name.endswith("_test.py") or "tests" in folders[-3:]


def _reaching(path: str, calls: dict[Place, set[Place]]) -> set[Place]:
    """Functions that run something of a module, directly or through others."""
    callers: dict[Place, list[Place]] = {}
    for place, targets in calls.items():
        for target in targets:
            callers.setdefault(target, []).append(place)
    todo = [place for target, places in callers.items() if target[0] == path for place in places]
    found: set[Place] = set()
    while todo:
        place = todo.pop()
        if place not in found:
            found.add(place)
            todo += callers.get(place, [])
    return found


def repeats(function: Function, resolver: Resolver) -> bool:
    """Tell whether a framework runs a function once a batch."""
    parameters = function.parameters[1 if function.self_name else 0 :]
    if parameters and parameters[0].arg == "engine" and _handed_on(function):
        return True
    if function.owner is None or function.last_name not in REPEATED_METHODS:
        return False
    return bool(call_frames.outside_bases(function.owner, resolver))


def _handed_on(function: Function) -> bool:
    """Tell whether a function is mentioned without being called: `Engine(update)`."""
    if function.decorators:
        return True
    name = re.escape(function.last_name)
    before = rf"\bself\.{name}" if function.self_name else rf"(?<![\w.]){name}"
    return re.search(rf"{before}\b(?!\s*\()", function.module.source.text) is not None
