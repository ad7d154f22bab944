"""Show how a plain training loop reads with `zerograd.Gradients`: a suggestion, never written.

A loop is plain where its body clears, runs one backward, may clip, and steps one optimizer, each
as a statement of its own, and where nothing else in the same function touches gradients:

    optimizer.zero_grad()              gradients.backward(loss)
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()

So is one that accumulates, where its last statement steps and clears at every so many batches. The
engine is told how many items each mean is over, so that every item of a window weighs the same:

    for i, batch in enumerate(loader):      for i, batch in enumerate(gradients.batches(loader)):
        (loss / ACCUMULATE).backward()          gradients.backward(loss, items=...)
        if (i + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad()

`batches()` closes the last window of an epoch, which such a loop drops or carries over.

Whatever is not understood is left alone.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.repair.accumulating_loop import AccumulatingLoop, accumulating, items_of
from zerograd.lint.repair.edits import lines_with_ends
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "gradients"
"""What the engine is called in the suggestion."""

OURS = frozenset({"zero_grad", "backward", "step", "clip_grad_norm_"})
FOREIGN = frozenset({"grad", "clip_grad_value_", "scale", "unscale_", "no_sync", "accumulate"})
"""What tells of a loop that is not plain: gradients by hand, a scaler, a training library."""

RANKS = frozenset({"DistributedDataParallel", "DDP", "fully_shard", "DataParallel"})
"""The engine must be told of a model over ranks."""

Scope = ast.Module | ast.FunctionDef


@record(frozen=True)
class _PlainLoop:
    """One plain loop: the statements that go, and what takes their place."""

    made: ast.stmt
    """Where its optimizer is made; the engine is made right behind it."""

    engine: str
    backward: ast.stmt
    arguments: str
    gone: tuple[ast.stmt, ...]
    feed: ast.expr | None = None
    """What the engine draws from."""


def migrated(source: str) -> str | None:
    """Return a program with its plain loops on the engine; None where it has none."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    if any(isinstance(node, ast.Name) and node.id == NAME for node in nodes):
        return None
    named = (getattr(node, "attr", getattr(node, "name", None)) for node in nodes)
    if any(name in RANKS for name in named):
        return None
    found = [loop for scope in _scopes(tree) if (loop := _plain(scope)) is not None]
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    if not found or not imports:
        return None
    lines = lines_with_ends(source)
    for loop in found:
        _replace(lines, loop.backward, f"{NAME}.backward({loop.arguments})")
        for statement in loop.gone:
            lines[statement.lineno - 1 : statement.end_lineno] = [""] * _height(statement)
        if loop.feed is not None:
            _wrap(lines, loop.feed)
        indent = " " * loop.made.col_offset
        lines[_last(loop.made)] += f"{indent}{NAME} = {loop.engine}\n"
    lines[_last(imports[-1])] += "import zerograd\n"
    return "".join(lines)


def _scopes(tree: ast.Module) -> Iterator[Scope]:
    yield tree
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _plain(scope: Scope) -> _PlainLoop | None:
    """Return the one plain loop of a function or module, if all of its gradients are there."""
    own = list(_own_nodes(scope))
    used = [node.attr for node in own if isinstance(node, ast.Attribute)]
    if any(name in FOREIGN for name in used):
        return None
    loops = [node for node in own if isinstance(node, ast.For)]
    used += [node.id for node in own if isinstance(node, ast.Name)]
    for loop in loops:
        window = accumulating(loop)
        if window is not None:
            leaves = any(isinstance(node, (ast.Continue, ast.Break)) for node in ast.walk(loop))
            once = used.count("backward") == 1 and used.count("clip_grad_norm_") <= 1
            plain = once and not leaves
            return _weighed(scope, loop, window) if plain else None
        calls = [(one, call) for one in loop.body if (call := _called(one)) is not None]
        by_name = {call[0]: (one, call[1]) for one, call in calls if call[0] in OURS}
        if {"zero_grad", "backward", "step"} <= set(by_name):
            # Any other clear, backward or clip makes it another loop; schedulers step as well.
            plain = all(used.count(name) == (name in by_name) for name in OURS - {"step"})
            return _understood(scope, loop, by_name) if plain else None
    return None


def _understood(
    scope: Scope, loop: ast.For, by_name: dict[str, tuple[ast.stmt, ast.Call]]
) -> _PlainLoop | None:
    (clear, cleared), (back, deposit), (spend, stepped) = (
        by_name[name] for name in ("zero_grad", "backward", "step")
    )
    optimizer, loss = _owner(stepped), _owner(deposit)
    made = _making(scope, optimizer)
    if made is None or loss is None or _owner(cleared) != optimizer or made.lineno > loop.lineno:
        return None
    if stepped.args or stepped.keywords or deposit.args or deposit.keywords:
        return None
    clips = [by_name["clip_grad_norm_"]] if "clip_grad_norm_" in by_name else []
    limits = [_limit(call, made) for _, call in clips]
    ours = [clear, spend, *(clip for clip, _ in clips)]
    between = loop.body[loop.body.index(back) + 1 : loop.body.index(spend)]
    if None in limits or between != ours[2:]:
        return None
    if any(_shares_a_line(statement, scope) for statement in (made, back, *ours)):
        return None
    options = "".join(f", clip_norm={limit}" for limit in limits)
    return _PlainLoop(made, f"zerograd.Gradients({optimizer}{options})", back, loss, tuple(ours))


def _weighed(scope: Scope, loop: ast.For, window: AccumulatingLoop) -> _PlainLoop | None:
    """Return a loop that accumulates, if its optimizer and the items of its loss are known."""
    spent = dict(call for one in window.closing.body if (call := _called(one)) is not None)
    optimizer = _owner(spent["step"]) if "step" in spent else None
    known = set(spent) <= {"step", "zero_grad", "clip_grad_norm_"} and "zero_grad" in spent
    made = _making(scope, optimizer)
    items = items_of(window, list(_own_nodes(scope)))
    if made is None or items is None or not known or len(spent) != len(window.closing.body):
        return None
    calls = (spent["step"], spent["zero_grad"])
    if _owner(spent["zero_grad"]) != optimizer or any(call.args for call in calls):
        return None
    clips = [call for name, call in spent.items() if name == "clip_grad_norm_"]
    limits = [_limit(call, made) for call in clips]
    clears, steps = (_calls(scope, optimizer, name) for name in ("zero_grad", "step"))
    outside = [one for one in clears or () if not loop.lineno <= one.lineno <= _last(loop) + 1]
    divisions = [] if window.division is None else [window.division]
    if None in limits or made.lineno > loop.lineno or clears is None or len(clears) > 2:
        return None
    if steps is None or len(steps) > 1:
        return None
    if any(not made.lineno < one.lineno < loop.lineno for one in outside):
        return None
    own = (made, window.deposit, *divisions, *outside)
    if any(_shares_a_line(one, scope) for one in own) or window.feed.lineno != loop.lineno:
        return None
    options = f", accumulate={window.length}" + "".join(f", clip_norm={one}" for one in limits)
    engine = f"zerograd.Gradients({optimizer}{options})"
    gone = (window.closing, *divisions, *outside)
    arguments = f"{window.loss}, items={items}"
    return _PlainLoop(made, engine, window.deposit, arguments, gone, window.feed)


def _calls(scope: Scope, optimizer: str | None, name: str) -> list[ast.stmt] | None:
    """Return the statements that call a method of an optimizer; None where another call does."""
    own = list(_own_nodes(scope))
    found = [
        node
        for node in own
        if isinstance(node, ast.Expr)
        and (call := _called(node)) is not None
        and call[0] == name
        and _owner(call[1]) == optimizer
    ]
    named = sum(
        isinstance(node, ast.Attribute)
        and node.attr == name
        and (name == "zero_grad" or ast.unparse(node.value) == optimizer)
        for node in own
    )
    return [*found] if named == len(found) else None


def _own_nodes(scope: Scope) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, without the functions and classes inside it."""
    ahead: list[ast.AST] = list(scope.body)
    while ahead:
        node = ahead.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            ahead += ast.iter_child_nodes(node)


def _called(statement: ast.stmt) -> tuple[str, ast.Call] | None:
    """Return the last name of what a statement calls, whose result nobody takes."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    function = statement.value.func
    if isinstance(function, ast.Attribute):
        # A scheduler's step is none of the engine's business.
        of_a_schedule = function.attr == "step" and "sched" in ast.unparse(function.value).lower()
        return None if of_a_schedule else (function.attr, statement.value)
    return (function.id, statement.value) if isinstance(function, ast.Name) else None


def _owner(call: ast.Call) -> str | None:
    """Return the name whose method is called, if it is a bare one."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.value.id
    return None


def _making(scope: Scope, name: str | None) -> ast.Assign | None:
    """Return where an optimizer is made: once, in this scope, over a model's parameters."""
    made = [
        node
        for node in _own_nodes(scope)
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]
    if len(made) != 1 or made[0] not in scope.body or not isinstance(made[0].value, ast.Call):
        return None
    return made[0] if ".parameters()" in ast.unparse(made[0].value) else None


def _limit(clip: ast.Call, made: ast.Assign) -> str | None:
    """Return the limit of a clip over just what the optimizer was made of."""
    if (
        len(clip.args) != 2
        or clip.keywords
        or not isinstance(clip.args[1], (ast.Constant, ast.Name))
    ):
        return None
    value = made.value
    members = value.args[0] if isinstance(value, ast.Call) and value.args else None
    same = members is not None and ast.unparse(members) == ast.unparse(clip.args[0])
    return ast.unparse(clip.args[1]) if same else None


def _shares_a_line(statement: ast.stmt, scope: Scope) -> bool:
    """Whether another statement begins or ends on a line of this one."""
    others = (n for n in _own_nodes(scope) if isinstance(n, ast.stmt) and n is not statement)
    return any(
        other.lineno in (statement.lineno, statement.end_lineno)
        or (other.end_lineno == statement.lineno and not hasattr(other, "body"))
        for other in others
    )


def _replace(lines: list[str], statement: ast.stmt, text: str) -> None:
    lines[statement.lineno - 1 : statement.end_lineno] = [
        f"{' ' * statement.col_offset}{text}\n",
        *[""] * (_height(statement) - 1),
    ]


def _wrap(lines: list[str], feed: ast.expr) -> None:
    """Let the engine hand out what a loop draws; columns count bytes."""
    line = lines[feed.lineno - 1].encode()
    drawn = line[feed.col_offset : feed.end_col_offset]
    whole = line[: feed.col_offset] + b"%b.batches(%b)" % (NAME.encode(), drawn)
    lines[feed.lineno - 1] = (whole + line[feed.end_col_offset :]).decode()


def _height(statement: ast.stmt) -> int:
    return _last(statement) - statement.lineno + 2


def _last(statement: ast.stmt) -> int:
    """Return the index of a statement's last line."""
    return (statement.end_lineno or statement.lineno) - 1
