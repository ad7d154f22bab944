"""Small questions about syntax trees, answered without recursion."""

from __future__ import annotations

import ast
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Asked = TypeVar("Asked", bound=ast.AST)
Answer = TypeVar("Answer")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

LARGE = 400
"""Expressions of more nodes than this are never spelled out or compared."""

LONG = 50
"""Attributes and indices in a row; more than these are nobody's name for anything."""


def kept(question: Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
    """Answer a question about a node once: the answer lives and dies with the tree."""
    name = _kept_as(question)

    @wraps(question)
    def ask(node: Asked) -> Answer:
        known = vars(node)
        if name not in known:
            known[name] = question(node)
        answer: Answer = known[name]
        return answer

    return ask


def _kept_as(question: Callable[..., object]) -> str:
    return f"zerograd {question.__name__}"


def answered(question: Callable[[Asked], Answer], node: Asked) -> Answer | None:
    """Return the answer to a question that is kept, None if it was not asked yet."""
    answer: Answer | None = vars(node).get(_kept_as(question))
    return answer


BARE = frozenset({"ctx", "id", "attr", "arg", "kind", "type_comment", "lineno"})
"""Fields that hold no syntax, or none that says anything."""


BRANCHES: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}
"""The fields of a kind of node that may hold others."""


def children(node: ast.AST) -> list[ast.AST]:
    """Return the direct child nodes, in source order as the grammar lists them."""
    found: list[ast.AST] = []
    names = BRANCHES.get(type(node))
    if names is None:
        names = tuple(name for name in node._fields if name not in BARE)
        BRANCHES[type(node)] = names
    for name in names:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


AROUND: dict[type[ast.stmt], tuple[str, ...]] = {
    ast.If: ("body", "orelse"),
    ast.For: ("body", "orelse"),
    ast.AsyncFor: ("body", "orelse"),
    ast.While: ("body", "orelse"),
    ast.With: ("body",),
    ast.AsyncWith: ("body",),
    ast.Try: ("body", "handlers", "orelse", "finalbody"),
    ast.TryStar: ("body", "handlers", "orelse", "finalbody"),
    ast.Match: ("cases",),
}
"""Statements that stand around others, definitions apart, and where they hold them."""


def nested(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements directly inside another one; a definition's are its own."""
    inside: list[ast.stmt] = []
    for name in AROUND.get(type(node), ()):
        for item in getattr(node, name):
            inside.extend([item] if isinstance(item, ast.stmt) else item.body)
    return inside


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below and including this one, parents before children."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def evaluated(expression: ast.AST, closed: tuple[type[ast.AST], ...] = ()) -> Iterator[ast.AST]:
    """Every node that evaluating an expression touches, operands before what uses them.

    Nested scopes, and nodes of the `closed` types, are passed over as one.
    """
    stack: list[tuple[ast.AST, bool]] = [(expression, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            yield node
            continue
        stack.append((node, True))
        if not isinstance(node, SCOPES) and not isinstance(node, closed):
            stack.extend((child, False) for child in reversed(children(node)))


@kept
def small(node: ast.AST) -> bool:
    """Tell whether an expression is small enough to be compared by its text."""
    return all(count < LARGE for count, _ in enumerate(walk(node)))


def text(node: ast.AST) -> str:
    """Return the source of an expression on one line, in Python's own spelling."""
    return ast.unparse(node) if small(node) else "..."


def same(one: ast.AST, other: ast.AST) -> bool:
    """Tell whether two expressions read alike, written to or read; no large ones do."""
    return one is other or (small(one) and small(other) and _shape(one) == _shape(other))


def _shape(node: ast.AST) -> str:
    return ast.dump(node).replace("Store()", "Load()")


def has_word_in(node: ast.AST, word: str) -> bool:
    """Tell whether a name or attribute in some syntax has a word in it."""
    return any(
        word in item.id if isinstance(item, ast.Name) else word in item.attr
        for item in walk(node)
        if isinstance(item, ast.Name | ast.Attribute)
    )


def dotted(node: ast.AST) -> str | None:
    """`self.heads[0].optimizer` for a chain of names, attributes and constant indices."""
    parts: list[str] = []
    while len(parts) <= LONG:
        if isinstance(node, ast.Attribute):
            parts.append("." + node.attr)
            node = node.value
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            parts.append(f"[{node.slice.value!r}]")
            node = node.value
        elif isinstance(node, ast.Name):
            parts.append(node.id)
            return "".join(reversed(parts))
        else:
            return None
    return None


def root_name(node: ast.AST) -> str | None:
    """Return the name that an attribute, index or call chain starts from."""
    root = root_of(node)
    return root.id if root is not None else None


def root_of(node: ast.AST | None) -> ast.Name | None:
    """Return where an attribute, index or call chain starts."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node if isinstance(node, ast.Name) else None


def last_name(node: ast.AST) -> str | None:
    """`step` of `self.optimizer.step`, `opts` of `opts[key]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def names_in(node: ast.AST) -> set[str]:
    """Every bare name that an expression reads."""
    return {item.id for item in walk(node) if isinstance(item, ast.Name)}


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument, if it is given."""
    return next((item.value for item in call.keywords if item.arg == name), None)


def argument(call: ast.Call, position: int, name: str | None = None) -> ast.expr | None:
    """Return an argument by position or, failing that, by keyword; never a starred one."""
    if position < len(call.args):
        if any(isinstance(item, ast.Starred) for item in call.args[: position + 1]):
            return None
        return call.args[position]
    return keyword(call, name) if name else None


def is_constant(node: ast.AST | None, *values: object) -> bool:
    """Tell whether a node is one of these literals, by identity for None, True and False."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    if not isinstance(node, ast.Constant):
        return False
    return any(
        node.value is value or (node.value == value and type(node.value) is type(value))
        for value in values
    )
