"""Find code that takes gradients by hand: what takes them may spend them without a step."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from zerograd.source.lines import CallSite, Line
from zerograd.source.parsing import enclosing, last_name, spelled, statements_on, tree_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lifecycle import Fault

THROUGH = frozenset({"data", "detach"})
"""What gives the same gradient again."""

LOOKING = frozenset(
    {
        *("abs", "all", "any", "device", "dtype", "is_sparse", "isfinite", "isinf", "isnan"),
        *("item", "max", "mean", "min", "norm", "numel", "print", "shape", "size", "std", "sum"),
        *("var", "clamp_", "copy_", "div_", "fill_", "mul_", "zero_"),
    }
)
"""What measures a gradient or writes into it, and takes nothing away."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

TESTS = (ast.BoolOp, ast.Compare, ast.If, ast.IfExp, ast.UnaryOp)
"""`if p.grad is not None`, and the like."""


def done_by_hand(fault: Fault) -> bool:
    """Whether the source may explain a fault: what is taken there may be spent there, unseen."""
    explains = EXPLANATIONS.get(fault.rule)
    return explains is not None and isinstance(fault.place, CallSite) and explains(fault.place)


def may_be_done_by_hand(fault: Fault) -> bool:
    """Whether a fault would need an explanation from a source that cannot be read."""
    place = fault.place
    unread = isinstance(place, CallSite) and tree_of(place.line.path) is None
    return unread and fault.rule in EXPLANATIONS


def reads_gradients(source: CallSite) -> bool:
    """Whether the source's file reads a `.grad`; `torch.autograd.grad(...)` reads none."""
    tree = tree_of(source.line.path)
    return tree is not None and bool(_reads(list(ast.walk(tree))))


@lru_cache(maxsize=64)
def keeps_gradients(source: CallSite) -> bool:
    """Whether the functions around a line, or what they call, take a `.grad` away.

    That is more than to measure it, or to write there.
    """
    return any(not only_looks for home in _run_by(source) for only_looks in _reads(_own(home)))


def reads_gradient_on(line: Line) -> bool:
    """Whether a statement on this line mentions a `.grad`."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == "grad"
        for statement in statements_on(line)
        for node in ast.walk(statement)
    )


def leaf_replacement(line: Line) -> Line | None:
    """Return an assignment `X = ... X.grad ...` of the same function, if there is one."""
    chain = enclosing(line)
    for node in ast.walk(chain[0]) if chain else ():
        if isinstance(node, ast.Assign) and _replaces(node):
            return Line(line.path, node.lineno, line.function)
    return None


def _replaces(assignment: ast.Assign) -> bool:
    gradients = {
        spelled(node.value)
        for node in ast.walk(assignment.value)
        if isinstance(node, ast.Attribute) and node.attr == "grad"
    }
    return any(spelled(target) in gradients for target in assignment.targets)


def _run_by(source: CallSite) -> list[ast.AST]:
    """Return the functions around a source's lines, and those of the file that these call."""
    tree = tree_of(source.line.path)
    if tree is None:
        return []
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    around = [enclosing(line) for line in (source.line, source.caller) if line is not None]
    found = [chain[0] for chain in around if chain]
    for home in found:  # it grows meanwhile
        called = {last_name(node.func) for node in _own(home) if isinstance(node, ast.Call)}
        found += [one for one in functions if one.name in called and one not in found]
    return found


def _own(home: ast.AST) -> list[ast.AST]:
    """Return the nodes of a function or module, without those of the functions in it."""
    found = list(ast.iter_child_nodes(home))
    for node in found:  # it grows meanwhile
        if not isinstance(node, FUNCTIONS):
            found += ast.iter_child_nodes(node)
    return found


def _reads(nodes: list[ast.AST]) -> list[bool]:
    """Return of each `.grad` that is read among these nodes whether that is only a look."""
    around = {id(child): node for node in nodes for child in ast.iter_child_nodes(node)}
    return [
        _only_looks(node, around)
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr == "grad"
        and isinstance(node.ctx, ast.Load)
        and getattr(around.get(id(node)), "func", None) is not node
    ]


def _only_looks(read: ast.AST, around: dict[int, ast.AST]) -> bool:
    """Whether what is done with a gradient first only looks at it, or writes into it."""
    node = around.get(id(read))
    while node is not None and _is_through(node):
        node = around.get(id(node))
    if isinstance(node, ast.Attribute):
        return node.attr in LOOKING
    if isinstance(node, ast.Call):
        return last_name(node.func) in LOOKING
    if isinstance(node, ast.Subscript):  # `p.grad[0] = 0` reads the gradient to write there
        return not isinstance(node.ctx, ast.Load)
    return isinstance(node, TESTS)


def _is_through(node: ast.AST) -> bool:
    """Whether a node gives the gradient again: `p.grad.data`, and both halves of `.detach()`."""
    name = node.func if isinstance(node, ast.Call) else node
    return isinstance(name, ast.Attribute) and name.attr in THROUGH


EXPLANATIONS: dict[str, Callable[[CallSite], bool]] = {
    "never-spent": reads_gradients,
    "zero-inside-window": keeps_gradients,
}
