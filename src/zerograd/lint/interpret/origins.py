"""Where a tensor's value comes from, as its function's own statements show it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.module import Class
from zerograd.lint.program.scope import Binding, BindingKind, Tests, with_tests
from zerograd.lint.program.syntax import argument, dotted, is_constant, last_name, root_name
from zerograd.lint.values import call_frames
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from zerograd.lint.values.resolver_questions import ResolverQuestions
    from zerograd.lint.values.value import CallFrame, Value

GROWING = frozenset({"append", "extend", "insert", "add_", "copy_", "update", "add"})
LOSSY = ("loss", "out", "pred", "logit", "fake", "gen", "recon", "feat", "emb", "hidden", "err")
GIVEN = (*LOSSY, "prob", "value", "dist", "entropy", "score")
"""Words of parameters that may bring a graph along."""
BARE = (
    "Loss",
    "ReLU",
    "Tanh",
    "Sigmoid",
    "Softmax",
    "Dropout",
    "Flatten",
    "Identity",
    "GELU",
    "Pool2d",
    "Pool1d",
    "Upsample",
    "LogSoftmax",
    "Similarity",
    "Distance",
)
"""Modules without parameters of their own."""
NUMBERS = frozenset({"float", "int", "bool", "str", "len", "dict", "list", "tuple", "max", "min"})
"""Calls whose result is no tensor that could be trained."""

QUIET = ("no_grad", "inference_mode")


def turns_graphs_off(context: ast.expr) -> bool:
    """Tell whether what a `with` enters surely records no graph; `inference_mode(False)` does."""
    call = context if isinstance(context, ast.Call) else None
    if last_name(context if call is None else call.func) not in QUIET:
        return False
    given = None if call is None else argument(call, 0, "mode")
    return given is None or is_constant(given, True)


def changes(home: CallFrame) -> dict[str, list[ast.expr]]:
    """Return what a function puts into its lists and tensors: `x[i] = v`, `x.append(v)`."""
    key = "changes"
    known = home.resolved.get(key)
    if isinstance(known, dict):
        return known
    found: dict[str, list[ast.expr]] = {}
    for stmt, _ in with_tests(getattr(home.function.node, "body", [])):
        if isinstance(stmt, ast.Assign | ast.AugAssign):
            targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
            for target in targets:
                name = root_name(target) if isinstance(target, ast.Subscript) else None
                if name is not None:
                    found.setdefault(name, []).append(stmt.value)
        elif isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
            func = stmt.value.func
            if isinstance(func, ast.Attribute) and func.attr in GROWING:
                name = root_name(func.value)
                if name is not None:
                    found.setdefault(name, []).extend(stmt.value.args)
    home.resolved[key] = found
    return found


def before(found: list[Binding], node: ast.Name) -> list[Binding]:
    """Return the bindings that can have given the name its value at this line."""
    line = getattr(node, "lineno", 0)
    earlier = [item for item in found if item.node.lineno < line] or found
    chosen: list[Binding] = []
    overwritten: set[Tests] = set()
    """Tests under which the name is assigned later on."""

    for item in reversed(earlier):
        # Whoever comes past this binding comes past a later one under the first of its tests.
        if any(item.under[:count] in overwritten for count in range(len(item.under) + 1)):
            continue
        chosen.append(item)
        if item.how is BindingKind.ASSIGNED:
            overwritten.add(item.under)
            if not item.under:
                break
    return chosen


def quiet(binding: Binding, home: CallFrame) -> bool:
    """Tell whether a value was computed under `no_grad`."""
    return quiet_line(binding.node.lineno, home)


def quiet_line(line: int, home: CallFrame) -> bool:
    """Tell whether a line of a function stands under `no_grad`."""
    key = "quiet lines"
    lines = home.resolved.get(key)
    if not isinstance(lines, list):
        lines = list[tuple[int, int]]()
        for stmt, _ in with_tests(getattr(home.function.node, "body", [])):
            if isinstance(stmt, ast.With | ast.AsyncWith) and any(
                turns_graphs_off(item.context_expr) for item in stmt.items
            ):
                lines.append((stmt.lineno, stmt.end_lineno or stmt.lineno))
        home.resolved[key] = lines
    return any(first <= line <= last for first, last in lines)


def in_loop(node: ast.AST, home: CallFrame) -> bool:
    """Tell whether a node stands in a loop of its function."""
    key = "loop lines"
    lines = home.resolved.get(key)
    if not isinstance(lines, list):
        lines = [
            (stmt.lineno, stmt.end_lineno or stmt.lineno)
            for stmt, _ in with_tests(getattr(home.function.node, "body", []))
            if isinstance(stmt, ast.For | ast.AsyncFor | ast.While)
        ]
        home.resolved[key] = lines
    return any(first <= getattr(node, "lineno", 0) <= last for first, last in lines)


def leaves_after(loop: ast.AST, node: ast.AST) -> bool:
    """Tell whether the loop is left after a statement whatever happens: it runs only once."""
    body = getattr(loop, "body", [])
    line = getattr(node, "lineno", 0)
    return bool(body) and any(
        isinstance(stmt, ast.Break | ast.Return) and stmt.lineno >= line for stmt in body
    )


def in_handler(node: ast.AST, home: CallFrame) -> bool:
    """Tell whether a statement runs only after an exception."""
    line = getattr(node, "lineno", 0)
    return any(
        isinstance(stmt, ast.Try)
        and any(item.lineno <= line <= (item.end_lineno or 0) for item in stmt.handlers)
        for stmt, _ in with_tests(getattr(home.function.node, "body", []))
    )


def lossy(name: str) -> bool:
    """Tell whether a name is that of a loss, or of what a loss is computed from."""
    return has_word(name, LOSSY)


def brings_graph(name: str) -> bool:
    """Tell whether a parameter's name is that of something computed."""
    return has_word(name, GIVEN)


def is_empty(value: Value, resolver: ResolverQuestions) -> bool:
    """Tell whether a module surely has no parameters: a criterion, an activation.

    A class of the project has none if its methods keep nothing on the object that a call made,
    but for torch's own modules without parameters.
    """
    if is_bare(value):
        return True
    cls = value.target
    if not isinstance(cls, Class):
        return False
    outside = {base.rpartition(".")[2] for base in call_frames.outside_bases(cls, resolver)}
    return outside <= {"Module"} and not any(
        isinstance(binding.value, ast.Call) and not _makes_bare(binding.value)
        for one in call_frames.lineage(cls, resolver)
        for method in one.methods.values()
        for target, bindings in method.scope.bindings.items()
        if target.startswith(f"{method.self_name}.")
        for binding in bindings
    )


def _makes_bare(call: ast.Call) -> bool:
    """`nn.CrossEntropyLoss(...)`, `float(alpha)`."""
    name = dotted(call.func) or ""
    return (name.startswith(("torch.nn.", "nn.")) and name.endswith(BARE)) or name in NUMBERS


def is_bare(value: Value) -> bool:
    """Tell whether a module is one of torch's own that have no parameters."""
    maker = value.maker or ""
    return maker.startswith(("torch.nn.", "nn.")) and maker.endswith(BARE)
