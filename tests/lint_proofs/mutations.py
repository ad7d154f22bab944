"""Programs with one line of bookkeeping deleted or moved by machine."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_OPTIMIZERS = re.compile(r"sched|env|prof|warm|ema|bar|simul", re.IGNORECASE)
"""Receivers whose `step` spends no gradient."""

DEPOSIT = "backward"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program that differs from a right one in the place of one line."""

    what: str
    """The kind of line: clear, step, clip, unscale or update."""

    how: str
    """What was done to it."""

    line: int
    """Where it stood."""

    source: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A statement that moves an account, and where it stands."""

    statement: ast.stmt
    what: str
    block: list[ast.stmt]
    around: tuple[ast.stmt, ...]
    """Statements that it stands in, outermost first."""


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every program in which one line is gone or elsewhere, each once."""
    seen = {source}
    lines = source.splitlines()
    for spot in spots(ast.parse(source)):
        if spot.what == DEPOSIT or not stands_alone(spot.statement, lines):
            continue
        for how, target in places(spot):
            changed = moved(source, spot.statement, target)
            if changed not in seen:
                seen.add(changed)
                yield Mutant(spot.what, how, spot.statement.lineno, changed)


def stands_alone(statement: ast.stmt, lines: list[str]) -> bool:
    """Tell whether a statement's lines hold nothing else but a comment."""
    before = lines[statement.lineno - 1][: statement.col_offset]
    behind = lines[end_of(statement) - 1][statement.end_col_offset :].strip()
    return not before.strip() and (not behind or behind.startswith("#"))


def spots(tree: ast.Module) -> list[Spot]:
    """Return all statements of bookkeeping, in the order of their lines."""
    found: list[Spot] = []
    waiting: list[tuple[list[ast.stmt], tuple[ast.stmt, ...]]] = [(tree.body, ())]
    while waiting:
        block, around = waiting.pop()
        for statement in block:
            what = kind(statement)
            if what:
                found.append(Spot(statement, what, block, around))
                continue
            waiting += [(inner, (*around, statement)) for inner in blocks(statement)]
    return sorted(found, key=lambda spot: spot.statement.lineno)


def blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks right inside a statement."""
    found = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    found += [handler.body for handler in getattr(statement, "handlers", [])]
    return [block for block in found if block]


def kind(statement: ast.stmt) -> str | None:
    """Return what a statement does to an account, if that is all it does."""
    match statement:
        case ast.Expr(value=ast.Call(func=function)):
            return call_kind(ast.unparse(function))
        case ast.Assign(targets=[ast.Attribute(attr="grad")], value=ast.Constant(value=None)):
            return "clear"
        case ast.For(body=[only], orelse=[]):
            return kind(only)
    return None


def call_kind(name: str) -> str | None:
    """Return what a call does, by the name of its function."""
    receiver, _, last = name.rpartition(".")
    if last in ("zero_grad", DEPOSIT):
        return {"zero_grad": "clear"}.get(last, last)
    if last == "zero_" and receiver.endswith(".grad"):
        return "clear"
    if last == "step" and not NOT_OPTIMIZERS.search(receiver):
        return "step"
    if last.startswith("clip_grad"):
        return "clip"
    if last == "unscale_":
        return "unscale"
    return "update" if last == "update" and "scaler" in receiver else None


Target = tuple[int, int] | None
"""A line to stand after, and the indentation there; None: nowhere."""


def places(spot: Spot) -> Iterator[tuple[str, Target]]:
    """Yield where a line could wrongly stand."""
    yield "deleted", None
    own = spot.block.index(spot.statement)
    before, behind = spot.block[:own], spot.block[own + 1 :]
    # Past the nearest statement that matters: to pass others alone changes nothing.
    for sibling in list(filter(holds_event, before))[-1:]:
        yield "moved up", (sibling.lineno - 1, sibling.col_offset)
    for sibling in list(filter(holds_event, behind))[:1]:
        yield "moved down", (end_of(sibling), sibling.col_offset)
    loops = [item for item in spot.around if isinstance(item, (ast.For, ast.While))]
    if loops:
        yield "moved before the loop", (loops[-1].lineno - 1, loops[-1].col_offset)
    if spot.around and isinstance(spot.around[-1], ast.If):
        test = spot.around[-1]
        yield "moved out of its test", (end_of(test), test.col_offset)


def holds_event(statement: ast.stmt) -> bool:
    """Tell whether to pass a statement matters."""
    if kind(statement):
        return True
    return any(holds_event(inner) for block in blocks(statement) for inner in block)


def end_of(statement: ast.stmt) -> int:
    """Return the last line of a statement."""
    return statement.end_lineno or statement.lineno


def moved(source: str, statement: ast.stmt, target: Target) -> str:
    """Return the source with a statement's lines elsewhere; `pass` keeps its place."""
    lines = source.splitlines()
    first, last = statement.lineno - 1, end_of(statement)
    own = [line[statement.col_offset :] for line in lines[first:last]]
    kept = " " * statement.col_offset + "pass"
    emptied = [*lines[:first], kept, *[""] * (last - first - 1), *lines[last:]]
    if target is None:
        return "\n".join(emptied) + "\n"
    after, column = target
    inserted = [" " * column + line for line in own]
    return "\n".join([*emptied[:after], *inserted, *emptied[after:]]) + "\n"
