"""Whether a value surely has no graph: cut off, made anew as a leaf, or computed without one."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.interpret.origins import QUIET, before, is_bare, quiet
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import Binding, BindingKind, returns
from zerograd.lint.program.syntax import is_constant, keyword, last_name, text, walk
from zerograd.lint.values import call_frames
from zerograd.lint.values.kinds import TENSOR_MAKERS
from zerograd.lint.values.spelling import bindings_of
from zerograd.record import record
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

DATA = ""
"""No graph, and nobody cut one off: a number, or what a loader yields."""

DEEP = 8
PURE = ("torch.nn.functional.", "torch.", "F.", "functional.")
METHODS = frozenset(
    {
        "mean",
        "sum",
        "abs",
        "pow",
        "square",
        "view",
        "reshape",
        "float",
        "squeeze",
        "log",
        "exp",
        "cpu",
        "cuda",
        "to",
        "type",
        "double",
        "half",
        "clone",
        "unsqueeze",
        "flatten",
        "contiguous",
        "permute",
        "transpose",
        "expand",
        "repeat",
        "clamp",
        "sqrt",
        "mul",
        "div",
        "add",
        "sub",
        "neg",
        "norm",
        "type_as",
        "view_as",
        "softmax",
        "log_softmax",
        "sigmoid",
    }
)
"""Methods of a tensor whose result has a graph only if the tensor, or an argument, has one."""

CUTS = frozenset(
    {
        "detach",
        "item",
        "argmax",
        "argmin",
        "argsort",
        "long",
        "int",
        "bool",
        "byte",
        "numpy",
        "tolist",
        "eq",
        "ne",
        "gt",
        "lt",
        "ge",
        "le",
        "nonzero",
    }
)
"""Methods and functions whose result never has a graph: whole numbers, answers, plain values."""

WITH_PLACES = frozenset({"max", "min", "topk", "sort", "median", "mode", "kthvalue", "cummax"})
"""What returns values, which have a graph, and their places, which have none."""

FOREIGN = ("numpy.", "np.", "sklearn.", "scipy.", "math.")
"""Libraries that know nothing of graphs."""

COPIES = frozenset({"tensor", "Tensor", "FloatTensor", "from_numpy"})
"""What makes a tensor of the values alone."""

REBUILDS = COPIES | {"Variable", "as_tensor"}
"""The same, and what keeps the graph unless it is told to make a leaf."""

TRAINED = ("parameters", "params", "weights", "leaves")
"""Words of what a loop draws tensors from that have a graph, or start one."""

MARKED = re.compile(r"(\w+)\s*\.requires_grad")

FILLING = frozenset({"append", "extend", "insert"})
"""What puts something with a graph into a list that began empty."""

PLAIN = (ast.BinOp, ast.UnaryOp, ast.Subscript, ast.List, ast.Tuple)


@record(frozen=True)
class DetachedValues:
    """Follows one loss back; None means that some way may bring a graph along."""

    resolver: Resolver
    loop: tuple[int, int] = (0, 0)
    """The lines of the loop that the deposit stands in."""

    def reason(self, loss: ast.expr, frame: CallFrame, *, leaves: bool = True) -> str | None:
        """Return why a deposited value has no graph, if it surely has none."""
        # `torch.empty(1, requires_grad=True).backward()` only wakes the driver up.
        leaf = self.leaf(loss, frame, 0) if leaves and isinstance(loss, ast.Name) else None
        return leaf or self.of(_unmarked(loss), frame, 0) or None

    def leaf(self, node: ast.expr, frame: CallFrame, depth: int) -> str | None:
        """`Variable(loss, requires_grad=True)`: a new leaf, of which nothing else hears."""
        if isinstance(node, ast.Call):
            target = self.resolver.definition(node.func, frame)
            if isinstance(target, Function) and depth < DEEP:
                return self.returned(target, node, frame, depth)
            name = last_name(node.func)
            # `torch.ones(1, requires_grad=True)` is no loss that lost its graph.
            of_value = bool(node.args) and not isinstance(node.args[0], ast.Constant)
            made = name in REBUILDS and is_constant(keyword(node, "requires_grad"), True)
            made = made and of_value
            return f"`{name}(..., requires_grad=True)` makes a new leaf" if made else None
        if not isinstance(node, ast.Name) or depth > DEEP:
            return None
        chosen, home = self.chosen(node, frame)
        if home is None or any(
            item.how is not BindingKind.ASSIGNED or item.index for item in chosen
        ):
            return None
        found = [self.leaf(item.value, home, depth + 1) for item in chosen if item.value]
        return found[0] if found and all(found) and len(found) == len(chosen) else None

    def returned(
        self, target: Function, call: ast.Call, frame: CallFrame, depth: int
    ) -> str | None:
        """Return the reason that all returns of a project's function agree on."""
        inside = call_frames.called(target, call, frame)
        values = returns(target.node)
        found = [self.leaf(value, inside, depth + 1) for value in values]
        return found[0] if found and all(found) else None

    def of(self, node: ast.AST, frame: CallFrame, depth: int) -> str | None:
        """Return a reason, DATA, or None for what may have a graph."""
        if depth > DEEP:
            return None
        if isinstance(node, ast.Constant):
            return DATA
        if isinstance(node, ast.Name):
            return self.name(node, frame, depth)
        if isinstance(node, ast.Attribute):
            return "`.data` cuts it off" if node.attr == "data" else None
        if isinstance(node, ast.Call):
            return self.call(node, frame, depth)
        if isinstance(node, ast.Compare):
            return "a comparison cuts it off"
        return self.parts(node, frame, depth)

    def parts(self, node: ast.AST, frame: CallFrame, depth: int) -> str | None:
        """Follow what an expression is put together from."""
        if (
            isinstance(node, ast.Subscript)
            and is_constant(node.slice, 1)
            and _has_places(node.value)
        ):
            return f"`{text(node)}` is an index, which has none"
        if isinstance(node, ast.IfExp):
            return self.every([node.body, node.orelse], frame, depth)
        if isinstance(node, PLAIN):
            inner = [item for item in ast.iter_child_nodes(node) if isinstance(item, ast.expr)]
            return self.every(inner, frame, depth)
        return None

    def every(self, nodes: Iterable[ast.AST], frame: CallFrame, depth: int) -> str | None:
        """Return the first reason if no part may have a graph."""
        found = [self.of(node, frame, depth + 1) for node in nodes]
        if any(item is None for item in found):
            return None
        return next((item for item in found if item), DATA)

    def name(self, node: ast.Name, frame: CallFrame, depth: int) -> str | None:
        """Follow a name to everything that can have given it its value."""
        chosen, home = self.chosen(node, frame)
        if home is None or not chosen:
            return None
        used = home.function.module.attributes(node.id)
        if depth and not used.isdisjoint(("requires_grad", "requires_grad_")):
            return None  # what is computed from a leaf has a graph
        if _is_filled(node.id, used, home):
            return None
        found = [self.binding(item, home, depth) for item in chosen]
        if any(item is None for item in found):
            return None
        return next((item for item in found if item), DATA)

    def binding(self, item: Binding, home: CallFrame, depth: int) -> str | None:
        """Follow one assignment; what a loop draws is data."""
        if item.how is BindingKind.ITERATED:
            trained = item.value is not None and has_word(text(item.value), TRAINED)
            return None if trained else DATA
        if item.how is not BindingKind.ASSIGNED or item.value is None:
            return None
        if item.index:
            is_place = item.index == (1,) and _has_places(item.value)
            return f"`{item.target}` is an index, which has none" if is_place else None
        if quiet(item, home):
            return None if self.turned_on(home) else "it was computed under `no_grad`"
        value = item.value if depth else _unmarked(item.value)
        return self.of(value, home, depth + 1)

    def turned_on(self, home: CallFrame) -> bool:
        """Tell whether a function turns recording on again somewhere."""
        return any(
            last_name(node.func) in ("enable_grad", "set_grad_enabled")
            for node in walk(home.function.node)
            if isinstance(node, ast.Call)
        )

    def chosen(self, node: ast.Name, frame: CallFrame) -> tuple[list[Binding], CallFrame | None]:
        """Return the bindings behind a name, unless it is bound again later."""
        found, home = bindings_of(node, frame)
        if home is None:
            return [], None
        chosen = before(found, node)
        if home is frame and self.comes_around(found, chosen, node.lineno):
            return [], None
        return chosen, home

    def comes_around(self, found: list[Binding], chosen: list[Binding], line: int) -> bool:
        """Tell whether the loop's last round may have given the name another value."""
        first, last = self.loop
        if any(first <= item.node.lineno < line and not item.under for item in chosen):
            return False
        return any(line <= item.node.lineno <= last for item in found)

    def call(self, node: ast.Call, frame: CallFrame, depth: int) -> str | None:
        """Follow a call: a cut, a function without parameters, or the project's own."""
        func = node.func
        given = [*node.args, *(item.value for item in node.keywords)]
        if isinstance(func, ast.Attribute):
            if func.attr in CUTS:
                return f"`.{func.attr}()` cuts it off"
            if func.attr in METHODS and not self.is_library(func, frame):
                return self.every([func.value, *given], frame, depth)
        cut = self.cut(node, frame, depth)
        if cut is not None:
            return cut
        target = self.target(func, frame)
        if target is not None:
            if any(name.rpartition(".")[2] in QUIET for name in target.decorators):
                return f"`{target.last_name}` runs under `no_grad`"
            return None
        value = self.resolver.value(func, frame)
        if self.is_library(func, frame) or (value is not None and is_bare(value)):
            return self.every(given, frame, depth) if given else None
        return None

    def cut(self, node: ast.Call, frame: CallFrame, depth: int) -> str | None:
        """Return why a function's result has no graph whatever it is given; DATA of constants."""
        name = self.resolver.origin(node.func, frame) or ""
        last = name.rpartition(".")[2]
        if name.startswith(FOREIGN) or name in ("float", "int"):
            return f"`{last}()` returns plain numbers"
        if not name.startswith("torch.") or _may_be_leaf(node):
            return None
        if last not in COPIES:
            return DATA if last in TENSOR_MAKERS and not _makes_leaves(frame) else None
        # `torch.tensor(0.0)`: nothing was cut off.
        found = self.every(node.args, frame, depth)
        return f"`{last}()` copies the values alone" if found is None else found

    def target(self, func: ast.expr, frame: CallFrame) -> Function | None:
        """Return the project's own function or method that is called."""
        found = self.resolver.definition(func, frame)
        value = self.resolver.value(func, frame) if found is None else None
        if value is not None and isinstance(value.target, Function):
            return value.target
        return found if isinstance(found, Function) else None

    def is_library(self, func: ast.expr, frame: CallFrame) -> bool:
        """Tell whether a callable is one of torch's own functions."""
        name = self.resolver.origin(func, frame) or ""
        return name.startswith(PURE) and last_name(func) not in TENSOR_MAKERS


def _may_be_leaf(made: ast.Call) -> bool:
    """`torch.randn(3, requires_grad=True)`, `torch.zeros(3, **options)`."""
    return any(item.arg in (None, "requires_grad") for item in made.keywords)


def _makes_leaves(frame: CallFrame) -> bool:
    """`for p in (W, b): p.requires_grad = True`: any tensor of the module may be a leaf by it."""
    module = frame.function.module
    marked = set(MARKED.findall(module.source.text))
    return any("backward" not in module.attributes(name) for name in marked)


def _is_filled(name: str, used: Collection[str], home: CallFrame) -> bool:
    """`terms = []`, then `terms.append(loss)`; a buffer, then `buffer[i] = loss`."""
    in_place = {attr for attr in used if attr.endswith("_") and attr[-2:] != "__"}
    if in_place - {"requires_grad_"} or not FILLING.isdisjoint(used):
        return True
    return any(
        isinstance(item, ast.Subscript)
        and isinstance(item.ctx, ast.Store)
        and isinstance(item.value, ast.Name)
        and item.value.id == name
        for item in walk(home.function.node)
    )


def _unmarked(node: ast.expr) -> ast.expr:
    """`loss` of `loss.requires_grad_(True)`: what a backward starts from gets no graph by that."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "requires_grad_"
    ):
        return node.func.value
    return node


def _has_places(node: ast.expr) -> bool:
    """`out.max(1)`, `torch.topk(out, 5)`."""
    return isinstance(node, ast.Call) and last_name(node.func) in WITH_PLACES
