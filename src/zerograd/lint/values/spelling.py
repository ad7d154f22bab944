"""Expressions spelled so that the same value reads the same in every function that sees it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.scope import Binding, BindingKind
from zerograd.lint.program.syntax import dotted, last_name
from zerograd.lint.values import call_frames
from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.lint.values.value import CallFrame

DEEP = 6
"""Names that are replaced by what they were assigned from."""

LONGEST = 100
"""Operations within operations; a longer chain is spelled by its place."""

STEADY_CALLS = frozenset(
    {
        "isinstance",
        "hasattr",
        "is_available",
        "len",
        "getattr",
        "callable",
        "bool",
        "is_enabled",
        "device_count",
        "is_main_process",
        "get_rank",
        "get_world_size",
        "is_initialized",
        "issubclass",
    }
)
"""Calls whose answer does not change from one round of a loop to the next."""
SETTINGS = frozenset({"args", "cfg", "conf", "config", "flags", "hparams", "opts", "settings"})
"""What the choices for a run are kept in."""

PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp)


@record(frozen=True)
class Spelled:
    """A canonical text, the names behind it, and its operands."""

    text: str
    paths: frozenset[str] = frozenset()
    operands: frozenset[str] = frozenset()
    changes: bool = False
    """Depends on a modulo or a call."""


def spell(node: ast.AST, frame: CallFrame, depth: int = 0) -> Spelled:
    """Return the canonical text of a small expression."""
    if isinstance(node, ast.Constant):
        return Spelled(repr(node.value))
    if depth > LONGEST:
        return Spelled(f"{type(node).__name__}@{getattr(node, 'lineno', 0)}", changes=True)
    if isinstance(node, ast.Name | ast.Attribute) or (
        isinstance(node, ast.Subscript) and dotted(node) is not None
    ):
        return _path(node, frame, depth)
    if isinstance(node, ast.BinOp):
        return _join(
            [node.left, node.right],
            type(node.op).__name__,
            frame,
            depth,
            swap=isinstance(node.op, ast.Add | ast.Mult),
            changes=isinstance(node.op, ast.Mod),
        )
    if isinstance(node, ast.UnaryOp):
        return _join([node.operand], type(node.op).__name__, frame, depth)
    if isinstance(node, ast.Compare):
        names = ",".join(type(op).__name__ for op in node.ops)
        return _join([node.left, *node.comparators], names, frame, depth)
    if isinstance(node, ast.Call):
        values = [*node.args, *(item.value for item in node.keywords)]
        found = _join([node.func, *values], "call", frame, depth)
        changes = found.changes or last_name(node.func) not in STEADY_CALLS
        return Spelled(found.text, found.paths, found.operands, changes)
    if isinstance(node, ast.Subscript):
        return _join([node.value, node.slice], "at", frame, depth)
    return Spelled(f"{type(node).__name__}@{getattr(node, 'lineno', 0)}", changes=True)


def _join(
    nodes: list[ast.expr],
    sign: str,
    frame: CallFrame,
    depth: int,
    *,
    swap: bool = False,
    changes: bool = False,
) -> Spelled:
    parts = [spell(node, frame, depth + 1) for node in nodes]
    texts = [part.text for part in parts]
    if swap:
        texts.sort()
    return Spelled(
        f"{sign}({', '.join(texts)})",
        frozenset().union(*(part.paths for part in parts)),
        frozenset().union(*(part.operands for part in parts)),
        changes or any(part.changes for part in parts),
    )


def _is_setting(node: ast.expr) -> bool:
    """`args.rounds`, `self.config.train.rounds`: whether a value was chosen before the run."""
    owner = dotted(node.value) if isinstance(node, ast.Attribute) else None
    return owner is not None and not SETTINGS.isdisjoint(owner.split("."))


def _path(node: ast.Name | ast.Attribute | ast.Subscript, frame: CallFrame, depth: int) -> Spelled:
    name = dotted(node)
    if name is None:
        inner = spell(node.value, frame, depth + 1) if isinstance(node, ast.Attribute) else None
        if inner is None:
            return Spelled("?")
        return Spelled(
            f"{inner.text}.{last_name(node)}", inner.paths, inner.operands, inner.changes
        )
    found, home = bindings_of(node, frame)
    if home is not None and depth < DEEP:
        if isinstance(node, ast.Name) and node.id in home.arguments and not found:
            given, caller = home.arguments[node.id]
            if isinstance(given, PLAIN):
                return spell(given, caller, depth + 1)
        single = found[0] if len(found) == 1 else None
        if (
            single is not None
            and single.how is BindingKind.ASSIGNED
            and not single.index
            and isinstance(single.value, PLAIN)
            and (not single.under or _is_setting(single.value))
            and not isinstance(single.value, ast.Constant)
        ):
            inner = spell(single.value, home, depth + 1)
            if _is_setting(single.value):
                # Read anew in each round, `rounds = self.config.rounds` is what it was.
                return inner
            path = path_of(name, frame)
            return Spelled(inner.text, inner.paths | {path}, inner.operands, inner.changes)
    path = path_of(name, frame)
    return Spelled(path, frozenset({path}), frozenset({path}))


def bindings_of(node: ast.AST, frame: CallFrame) -> tuple[list[Binding], CallFrame | None]:
    """Return the bindings of a name or path, and the frame that has them."""
    name = dotted(node)
    if name is None:
        return [], None
    root = name.partition(".")[0].partition("[")[0]
    home: CallFrame | None = frame
    while home is not None:
        scope = home.function.scope
        if root in scope.parameters or (root in scope.bindings and root not in scope.outside):
            return _relevant(scope.bindings.get(name, []), home, name), home
        home = home.outer
    return [], None


def _relevant(found: list[Binding], home: CallFrame, name: str) -> list[Binding]:
    """Attributes of self may be bound by any method: one method's bindings are not all."""
    if "." in name and name.partition(".")[0] == call_frames.self_name(home.function):
        return []
    return found


def path_of(name: str, frame: CallFrame) -> str:
    """Return a name under which every function that shares it finds it."""
    root, dot, rest = name.partition(".")
    home: CallFrame | None = frame
    while home is not None:
        if root == call_frames.self_name(home.function) and home.receiver is not None:
            place, *inner = home.receiver.key
            return f"{place}|" + ".".join([*inner, *filter(None, (rest,))])
        scope = home.function.scope
        bare = root.partition("[")[0]
        if bare in scope.parameters or (bare in scope.bindings and bare not in scope.outside):
            if dot and bare in home.arguments and bare not in scope.bindings:
                given, caller = home.arguments[bare]
                spelled = dotted(given)
                if spelled is not None:
                    return path_of(spelled + dot + rest, caller)
                if isinstance(given, ast.Call):
                    # An object that nobody named goes by the place of its construction.
                    return f"{caller.path}|@{given.lineno}.{given.col_offset}{dot}{rest}"
            return f"{home.path}|{name}"
        home = home.outer
    return f"{frame.function.module.path}:|{name}"
