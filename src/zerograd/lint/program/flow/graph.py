"""What a body is made of: acts, bindings, branches, loops, guards, contexts and ways out."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from zerograd.record import field, record

if TYPE_CHECKING:
    import ast

Block = list["Node"]


class LeavingKind(Enum):
    """How control leaves a block."""

    FALL = auto()
    BREAK = auto()
    CONTINUE = auto()
    RETURN = auto()
    RAISE = auto()


@record(eq=False)
class Node:
    """One step of a body."""

    stmt: ast.AST
    """The statement that it came from."""


@record(eq=False)
class Act(Node):
    """A statement that may touch an account: its calls and targets in order of evaluation."""

    parts: tuple[ast.AST, ...] = ()


@record(eq=False)
class Bind(Node):
    """A name that a test reads gets a value."""

    names: tuple[str, ...] = ()
    value: ast.expr | None = None
    """The value, where exactly one name is assigned; None when the old value is changed."""


@record(eq=False)
class Branch(Node):
    """Two ways on, decided by a test."""

    test: ast.expr
    then: Block = field(default_factory=list)
    other: Block = field(default_factory=list)

    @property
    def tail(self) -> tuple[Block, Branch | None]:
        """What stands before the last `elif` of the other side, and that: `other` in two parts."""
        last = self.other[-1] if self.other else None
        return (self.other[:-1], last) if isinstance(last, Branch) else (self.other, None)


@record(eq=False)
class LoopNode(Node):
    """A body that runs at least once."""

    body: Block = field(default_factory=list)
    orelse: Block = field(default_factory=list)
    names: tuple[str, ...] = ()
    """What each round binds anew."""

    endless: bool = False


@record(eq=False)
class Guard(Node):
    """`try`: a body, its handlers, and what runs after either."""

    body: Block = field(default_factory=list)
    handlers: list[Block] = field(default_factory=list)
    orelse: Block = field(default_factory=list)
    final: Block = field(default_factory=list)


@record(eq=False)
class Within(Node):
    """`with`: contexts around a body."""

    body: Block = field(default_factory=list)


@record(eq=False)
class Leave(Node):
    """`break`, `continue`, `return`, `raise`."""

    way: LeavingKind = LeavingKind.RETURN


def blocks(node: Node) -> list[Block]:
    """Return the blocks directly inside a node."""
    if isinstance(node, Branch):
        return [node.then, node.other]
    if isinstance(node, LoopNode):
        return [node.body, node.orelse]
    if isinstance(node, Guard):
        return [node.body, *node.handlers, node.orelse, node.final]
    return [node.body] if isinstance(node, Within) else []


def acts_in(node: Node) -> bool:
    """Tell whether a node is or holds an act."""
    todo = [node]
    while todo:
        node = todo.pop()
        if isinstance(node, Act):
            return True
        todo.extend(item for inner in blocks(node) for item in inner)
    return False
