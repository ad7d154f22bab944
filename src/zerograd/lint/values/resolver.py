"""From an expression to what it stands for, through assignments, attributes and calls.

Worked example, who is `self.opt` in `self.opt.step()`?

    def build(net):                                  # helper.py
        return net, torch.optim.SGD(net.parameters(), lr=0.1)

    class Trainer:                                   # train.py
        def __init__(self, model):
            self.model, self.opt = build(model)

1. `value(self.opt)` asks `bound_names.by_attribute`: what is `self`? The frame's receiver, an
   INSTANCE of Trainer with a key, say ("train.py:", "trainer").
2. Trainer's methods are searched for bindings of `self.opt`: one, with index (1,) of a call.
3. `call_results.by_call` finds that `build` is the project's own (`definition`), opens a frame in
   which `net` stands for `model` (`call_frames.called`), and asks for what it returns: a TUPLE.
4. Its part 1 is a call of `torch.optim.SGD` (`origin`, through the imports): an OPTIMIZER, sure,
   with that call as its `site` and the helper's frame as its `frame`.
5. It is given its first name: the key ("train.py:", "trainer", "opt"). Whoever else names the same
   object gets the same key, and that is how two lines are known to mean one optimizer.

Whose parameters it holds is asked later, of `site` in `frame`: `net.parameters()` there is the
module that was passed as `model`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from zerograd.lint.analysis_budget import Budget
from zerograd.lint.program.syntax import dotted
from zerograd.lint.values import bound_names, call_frames, call_results, kinds
from zerograd.lint.values.nameless_values import NamelessValues
from zerograd.lint.values.value import CallFrame, Value, ValueKind, constant, several
from zerograd.record import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, MutableMapping

    from zerograd.lint.program.module import Class, Function, Module
    from zerograd.lint.program.project import Project

MOST_ASKED = 32
"""Modules that are asked for one name, each because the one before imports it from there."""

DEEPEST = 48
"""Questions within questions; the next one waits until the stack is empty again."""

T = TypeVar("T")


class _Question(NamedTuple):
    """Something to find out, and where the answer is kept."""

    answers: MutableMapping[Any, Any]
    key: object
    find: Callable[..., Any]
    about: tuple[Any, ...]


class _LaterError(Exception):
    """Too deep to answer a question here: it is answered first, and then everything else again."""

    def __init__(self, question: _Question) -> None:
        super().__init__()
        self.question = question
        self.marks: list[_Question] = []
        """The questions that wait for it: each has no answer, and is not asked again."""


class Resolver:
    """Answers who an expression is; answers are kept in the frame that asked."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.budget = Budget()
        """Counts the questions that are answered anew."""

        self.quiet: set[Hashable] = set()
        """Calls that were found to do nothing, as long as their frames are kept."""

        self.natures = NamelessValues()
        self._depth = 0
        self._ask: dict[type[ast.AST], Callable[[ast.AST, CallFrame], Value | None]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.Call: self._call,
            ast.IfExp: self._either,
            ast.BoolOp: self._any,
            ast.NamedExpr: self._inner,
            ast.Await: self._inner,
            ast.Starred: self._inner,
            ast.Constant: self._constant,
            ast.List: self._sequence,
            ast.Tuple: self._sequence,
            ast.Set: self._sequence,
            ast.Dict: self._mapping,
            ast.ListComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
        }

    def value(self, node: ast.AST | None, frame: CallFrame) -> Value | None:
        """Return what an expression stands for; None when the source does not show it."""
        if node is None:
            return None
        known = frame.known
        key = id(node)
        if key not in known:
            ask = self._ask.get(type(node))
            if ask is None:
                known[key] = None
            else:
                self.find(known, key, ask, node, frame)
        return known[key]

    def find(
        self, answers: MutableMapping[Any, Any], key: object, find: Callable[..., T], *about: object
    ) -> T:
        """Find an answer and keep it; whoever asks for it meanwhile gets None.

        A name that is defined by itself (`model = wrap(model)`) asks for this very answer.
        """
        question = _Question(answers, key, find, about)
        return self._descend(question) if self._depth else self._from_the_top(question)  # type: ignore[no-any-return]  # what `find` returned

    def _from_the_top(self, question: _Question) -> Any:
        """Answer a question that no other waits for, however many questions it leads to.

        A chain of 3,000 names would need as many calls within calls. Where a chain gets too deep,
        `_LaterError` empties the stack, the question at its end is asked by itself, and the
        one that led there is asked again: what was answered on the way is known by then. Until
        then the questions in between stay marked as having no answer, as they would be further
        down in the same chain: a circle of names ends where it would have ended.
        """
        waiting = [question]
        marks: list[list[_Question]] = []
        try:
            while True:
                try:
                    answer = self._descend(waiting[-1])
                except _LaterError as later:
                    waiting.append(later.question)
                    marks.append(later.marks)
                    continue
                waiting.pop()
                if not waiting:
                    return answer
                _unmark(marks.pop())
        finally:
            for left in marks:
                _unmark(left)

    def _descend(self, question: _Question) -> Any:
        self.budget.spend()
        if self._depth >= DEEPEST:
            raise _LaterError(question)
        answers, key, find, about = question
        answers[key] = None
        self._depth += 1
        try:
            answer = answers[key] = find(*about)
        except _LaterError as later:
            later.marks.append(question)
            raise
        except BaseException:
            # What was half found when the budget was used up is no answer to anybody else.
            del answers[key]
            raise
        finally:
            self._depth -= 1
        return answer

    def forget_calls(self) -> None:
        """Forget which calls did nothing, and what they were given."""
        self.quiet.clear()
        self.natures.clear()

    def body(self, module: Module) -> CallFrame:
        """Return the frame of a module's own body."""
        return self.alone(module.body)

    def alone(self, function: Function, receiver: Class | None = None) -> CallFrame:
        """Return the frame of a function as if nobody called it: always the same one.

        A method may be run by an object of a class that inherits it.
        """
        known = function.module.frames
        found = known.get((function, receiver))
        if not isinstance(found, CallFrame):
            found = known[function, receiver] = call_frames.entered(function, self, receiver)
        return found

    def _constant(self, node: ast.AST, _: CallFrame) -> Value | None:
        return constant(node.value) if isinstance(node, ast.Constant) else None

    def _inner(self, node: ast.AST, frame: CallFrame) -> Value | None:
        return self.value(getattr(node, "value", None), frame)

    def _either(self, node: ast.AST, frame: CallFrame) -> Value | None:
        assert isinstance(node, ast.IfExp)
        return self._first([node.body, node.orelse], frame)

    def _any(self, node: ast.AST, frame: CallFrame) -> Value | None:
        assert isinstance(node, ast.BoolOp)
        return self._first(node.values, frame)

    def _first(self, nodes: list[ast.expr], frame: CallFrame) -> Value | None:
        found = [self.value(node, frame) for node in nodes]
        real = [value for value in found if value and value.kind is not ValueKind.CONSTANT]
        if several(real):
            key = (frame.path, " or ".join(".".join(value.key) for value in real))
            return Value(ValueKind.OPTIMIZERS, key, named=True, sure=True)
        return real[0] if real else found[-1]

    def _sequence(self, node: ast.AST, frame: CallFrame) -> Value | None:
        assert isinstance(node, ast.List | ast.Tuple | ast.Set)
        parts = tuple(self.value(item, frame) or Value(ValueKind.OTHER) for item in node.elts)
        return _collection(parts, isinstance(node, ast.Tuple))

    def _mapping(self, node: ast.AST, frame: CallFrame) -> Value | None:
        assert isinstance(node, ast.Dict)
        parts = tuple(self.value(item, frame) or Value(ValueKind.OTHER) for item in node.values)
        made = _collection(parts, plain=False)
        keys = tuple(item.value for item in node.keys if isinstance(item, ast.Constant))
        return replace(made, keys=keys) if parts and len(keys) == len(parts) else made

    def _comprehension(self, node: ast.AST, frame: CallFrame) -> Value | None:
        element = node.value if isinstance(node, ast.DictComp) else getattr(node, "elt", None)
        made = self.value(element, frame)
        if made and made.kind is ValueKind.OPTIMIZER:
            return Value(
                ValueKind.OPTIMIZERS, parts=(), sure=made.sure, site=made.site, frame=frame
            )
        return None

    def _name(self, node: ast.AST, frame: CallFrame) -> Value | None:
        assert isinstance(node, ast.Name)
        return bound_names.by_name(self, node.id, frame, node)

    def _attribute(self, node: ast.AST, frame: CallFrame) -> Value | None:
        assert isinstance(node, ast.Attribute)
        return bound_names.by_attribute(self, node, frame)

    def _subscript(self, node: ast.AST, frame: CallFrame) -> Value | None:
        assert isinstance(node, ast.Subscript)
        base = self.value(node.value, frame)
        if base is not None and isinstance(node.slice, ast.Slice):
            return _sliced(base, node.slice)
        if base is not None and base.kind is ValueKind.PARAMETER:
            return base
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if (
            base is not None
            and base.kind is ValueKind.MODULE
            and base.key
            and isinstance(index, int)
        ):
            return Value(ValueKind.MODULE, (*base.key, f"[{index}]"), named=True)
        if base is None or base.kind not in (ValueKind.OPTIMIZERS, ValueKind.TUPLE):
            return bound_names.by_path(self, node, frame)
        if base.keys and index in base.keys:
            return base.parts[base.keys.index(index)]
        if isinstance(index, int) and not base.keys and -len(base.parts) <= index < len(base.parts):
            return base.parts[index]
        if isinstance(index, str) and index in base.keys and base.kind is ValueKind.OPTIMIZERS:
            return base.parts[base.keys.index(index)]
        if base.kind is ValueKind.TUPLE and index is None and _all_leaves(base.parts):
            # `params[name]`: one of them, whichever it is.
            return call_frames.each(base.parts)
        if base.kind is ValueKind.OPTIMIZERS:
            return replace(base, named=True, keys=())
        return None

    def _call(self, node: ast.AST, frame: CallFrame) -> Value | None:
        assert isinstance(node, ast.Call)
        return call_results.by_call(self, node, frame)

    def origin(self, node: ast.AST, frame: CallFrame) -> str | None:
        """Return the dotted origin of what an expression names: `torch.optim.SGD`."""
        name = dotted(node)
        if name is None:
            return None
        first, dot, rest = name.partition(".")
        imports = frame.function.module.imports
        if not dot and first not in imports:
            # `L = F.mse_loss`: another name for what a library has.
            name = _alias(first, frame) or name
            first, dot, rest = name.partition(".")
        return imports.get(first, first) + dot + rest

    def definition(self, node: ast.AST, frame: CallFrame) -> Function | Class | None:
        """Return the project's own function or class that an expression names."""
        name = dotted(node)
        if name is None or name.startswith("self."):
            return None
        return self._local(name, frame) or self._foreign(name, frame.function.module)

    def _local(self, name: str, frame: CallFrame) -> Function | Class | None:
        module = frame.function.module
        around: Function | None = frame.function
        while around is not None:
            full = f"{around.name}.{name}" if around.name else name
            found = module.functions.get(full) or module.classes.get(full)
            if found is not None:
                return found
            around = around.outer
        return None

    def _foreign(self, name: str, module: Module) -> Function | Class | None:
        first, _, rest = name.partition(".")
        origin = module.imports.get(first)
        if origin is None:
            return self._brought(name, module, set())
        full = ".".join(filter(None, (origin, rest)))
        # What a table describes is a library, also where its source stands in the project.
        return None if self.project.knowledge.describes(full) else self.defined(full, module)

    def _brought(
        self, name: str, module: Module, seen: set[tuple[str, str]]
    ) -> Function | Class | None:
        """Return what a `from m import *` brings in under a name."""
        every = [origin for local, origin in module.imports.items() if local.endswith(".*")]
        found = (self.defined(f"{origin}.{name}", module, seen) for origin in reversed(every))
        return next((item for item in found if item is not None), None)

    def defined(
        self, name: str, importer: Module, seen: set[tuple[str, str]] | None = None
    ) -> Function | Class | None:
        """Return the project's definition of an absolute dotted name, re-exports followed.

        `seen` has the modules that were asked for a name before: they may import each other.
        """
        seen = set() if seen is None else seen
        package, _, last = name.rpartition(".")
        tail = last
        while package and len(seen) < MOST_ASKED:
            module = self.project.imported(package, importer)
            if module is not None:
                found = module.functions.get(tail) or module.classes.get(tail)
                if found is not None or (module.key, tail) in seen:
                    return found
                seen.add((module.key, tail))
                first, _, rest = tail.partition(".")
                if first not in module.imports:
                    return None if rest else self._brought(tail, module, seen)
                again = ".".join(filter(None, (module.imports[first], rest)))
                return self.defined(again, module, seen)
            package, _, last = package.rpartition(".")
            tail = f"{last}.{tail}"
        return None

    def suggested(self, name: str, key: tuple[str, ...], frame: CallFrame) -> Value | None:
        """Return an object of which only the name is known."""
        attributes = frame.function.module.attributes(name)
        # Nothing but a loss scaler is asked to unscale.
        kind = ValueKind.SCALER if "unscale_" in attributes else kinds.named_like(name)
        used = kinds.used_like_optimizer(name, attributes)
        if kind in (ValueKind.OPTIMIZER, ValueKind.OPTIMIZERS):
            if used is None:
                return Value(ValueKind.OTHER, key, named=True)
            if "step" in attributes:
                # `self.optimizers.step()`: a list has no such method, so this is one object.
                kind = ValueKind.OPTIMIZER
            return Value(kind, key, named=True, sure=used)
        if used and kind is not ValueKind.SCALER:
            return Value(ValueKind.OPTIMIZER, key, named=True, sure=True)
        return Value(kind or ValueKind.OTHER, key, named=True)


def _alias(name: str, frame: CallFrame) -> str | None:
    """Return the dotted name that a name was given as its only value: `F.mse_loss`."""
    for function in (frame.function, frame.function.module.body):
        found = function.scope.bindings.get(name)
        if found:
            value = found[0].value if len(found) == 1 else None
            return dotted(value) if isinstance(value, ast.Attribute) else None
    return None


def _unmark(questions: list[_Question]) -> None:
    for question in questions:
        del question.answers[question.key]


def _all_leaves(parts: tuple[Value, ...]) -> bool:
    return bool(parts) and all(part.kind is ValueKind.LEAF for part in parts)


def _sliced(base: Value, part: ast.Slice) -> Value | None:
    """Return a part of a list: `params[:2]` is not all of them."""
    bounds = [part.lower, part.upper, part.step]
    if not any(bounds):
        return base
    if base.kind is ValueKind.PARAMETER:
        return Value(ValueKind.OTHER)
    if base.kind not in (ValueKind.TUPLE, ValueKind.OPTIMIZERS) or not base.parts:
        return None
    try:
        limits = [None if item is None else ast.literal_eval(item) for item in bounds]
        return _collection(base.parts[slice(*limits)], plain=True)
    except (TypeError, ValueError):
        return Value(ValueKind.OTHER)


def _collection(parts: tuple[Value, ...], plain: bool) -> Value:
    kinds_found = {part.kind for part in parts}
    if kinds_found == {ValueKind.OPTIMIZER}:
        sure = all(part.sure for part in parts)
        return Value(ValueKind.OPTIMIZERS, parts=parts, sure=sure)
    return Value(ValueKind.TUPLE if plain or parts else ValueKind.OTHER, parts=parts)
