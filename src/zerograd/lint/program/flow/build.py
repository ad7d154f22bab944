"""From a function's syntax to its flow: only what stands on lines that matter is kept."""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING

from zerograd.lint.analysis_budget import UnseenError
from zerograd.lint.program.flow.graph import (
    Act,
    Bind,
    Block,
    Branch,
    Guard,
    Leave,
    LeavingKind,
    LoopNode,
    Node,
    Within,
    acts_in,
    blocks,
)
from zerograd.lint.program.scope import Binding, BindingKind
from zerograd.lint.program.syntax import dotted, evaluated, kept, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.lint.program.scope import Scope

LEAVES: dict[type[ast.stmt], LeavingKind] = {
    ast.Break: LeavingKind.BREAK,
    ast.Continue: LeavingKind.CONTINUE,
    ast.Return: LeavingKind.RETURN,
    ast.Raise: LeavingKind.RAISE,
}
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
LONGEST_CHAIN = 1_000
"""`elif`s or cases in a row: an event in one of them keeps those before it."""

EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit"})


def flow_of(body: list[ast.stmt], scope: Scope, relevant: Sequence[int]) -> Block:
    """Return the flow of a body; `relevant` are its lines that matter, sorted."""
    built = _Builder(scope, relevant).block(body)
    return _pruned(built, _read_by_tests(built, scope))


class _Builder:
    """Lowers statements; the indentation limit of Python bounds its recursion."""

    def __init__(self, scope: Scope, relevant: Sequence[int]) -> None:
        self.scope = scope
        self.relevant = relevant

    def block(self, body: list[ast.stmt]) -> Block:
        found: Block = []
        for stmt in body:
            found.extend(self.statement(stmt))
        return found

    def statement(self, stmt: ast.stmt) -> Block:
        if isinstance(stmt, ast.If):
            return self.branches(stmt)
        if isinstance(stmt, ast.For | ast.AsyncFor | ast.While):
            return self.loop(stmt)
        if isinstance(stmt, ast.Try | ast.TryStar):
            return [self.guard(stmt)]
        if isinstance(stmt, ast.With | ast.AsyncWith):
            heads = [part for item in stmt.items for part in self.acts(stmt, item.context_expr)]
            return [*heads, Within(stmt, self.block(stmt.body))]
        if isinstance(stmt, ast.Match):
            return self.match(stmt)
        if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return []
        return self.simple(stmt)

    def branches(self, stmt: ast.If) -> Block:
        """Lower an `if` with its `elif` chain, however long, without recursion."""
        chain = [stmt]
        while len(chain[-1].orelse) == 1 and isinstance(chain[-1].orelse[0], ast.If):
            chain.append(chain[-1].orelse[0])
        self.bound(stmt, len(chain))
        other = self.block(chain[-1].orelse)
        for item in reversed(chain):
            branch = Branch(item, item.test, self.block(item.body), other)
            other = [*self.acts(item, item.test), branch]
        return other

    def bound(self, stmt: ast.stmt, branches: int) -> None:
        """Refuse more branches in a row than can be kept around each event."""
        if branches > LONGEST_CHAIN and self.is_relevant(stmt):
            raise UnseenError(f"more than {LONGEST_CHAIN:,} `elif`s or cases in a row")

    def loop(self, stmt: ast.For | ast.AsyncFor | ast.While) -> Block:
        body, orelse = self.block(stmt.body), self.block(stmt.orelse)
        if isinstance(stmt, ast.While):
            head = self.acts(stmt, stmt.test)
            endless = isinstance(stmt.test, ast.Constant) and bool(stmt.test.value)
            return [LoopNode(stmt, [*head, *body], orelse, (), endless)]
        names = tuple(name for item in walk(stmt.target) if (name := dotted(item)))
        return [*self.acts(stmt, stmt.iter), LoopNode(stmt, body, orelse, names)]

    def guard(self, stmt: ast.Try | ast.TryStar) -> Node:
        handlers = [self.block(item.body) for item in stmt.handlers]
        return Guard(
            stmt,
            self.block(stmt.body),
            handlers,
            self.block(stmt.orelse),
            self.block(stmt.finalbody),
        )

    def match(self, stmt: ast.Match) -> Block:
        self.bound(stmt, len(stmt.cases))
        other: Block = []
        for case in reversed(stmt.cases):
            body = self.block(case.body)
            if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                other = body
                continue
            other = [Branch(stmt, _pattern_test(stmt.subject, case), body, other)]
        return other

    def simple(self, stmt: ast.stmt) -> Block:
        if type(stmt) in LEAVES:
            value = getattr(stmt, "value", None)
            acts = self.acts(stmt, value) if value is not None else []
            return [*acts, Leave(stmt, LEAVES[type(stmt)])]
        if isinstance(stmt, ast.Expr):
            return self.expression(stmt, stmt.value)
        acts = self.acts(stmt, stmt) if not isinstance(stmt, ast.Pass | ast.Import) else []
        return [*acts, *_binds(stmt)]

    def expression(self, stmt: ast.Expr, value: ast.expr) -> Block:
        """Lower an expression statement; `a and f()` and `f() if a else g()` are branches."""
        if isinstance(value, ast.IfExp) and self.is_relevant(value):
            then, other = self.acts(stmt, value.body), self.acts(stmt, value.orelse)
            return [Branch(stmt, value.test, then, other)]
        if isinstance(value, ast.BoolOp) and len(value.values) == 2 and self.is_relevant(value):
            acts = self.acts(stmt, value.values[1])
            if isinstance(value.op, ast.And):
                return [Branch(stmt, value.values[0], acts, [])]
            return [Branch(stmt, value.values[0], [], acts)]
        if isinstance(value, ast.Call) and dotted(value.func) in EXITS:
            return [Leave(stmt, LeavingKind.RAISE)]
        return self.acts(stmt, value)

    def acts(self, stmt: ast.stmt, value: ast.AST) -> Block:
        """Return the calls of an expression or statement that stands on a line that matters."""
        if not self.is_relevant(value):
            return []
        loops: Block = []
        parts: list[ast.AST] = []
        for node in evaluated(value, COMPREHENSIONS):
            if isinstance(node, ast.Call | ast.Attribute):
                parts.append(node)
            elif isinstance(node, COMPREHENSIONS):
                loops.extend(self.comprehension(stmt, node))
        if isinstance(value, ast.stmt):
            parts.append(value)
        return [*loops, *([Act(stmt, tuple(parts))] if parts else [])]

    def comprehension(self, stmt: ast.stmt, node: Comprehension) -> Block:
        """Lower a comprehension as the loop that it is."""
        first = node.generators[0]
        for item in node.generators:
            self.remember(item, stmt)
        inside: list[ast.AST] = (
            [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        )
        inside += [test for item in node.generators for test in item.ifs]
        inside += [item.iter for item in node.generators[1:]]
        body = [act for part in inside for act in self.acts(stmt, part)]
        header = ast.copy_location(ast.For(first.target, first.iter, [], []), node)
        names = tuple(name for item in walk(first.target) if (name := dotted(item)))
        outer = self.acts(stmt, first.iter)
        return [*outer, LoopNode(header, body, [], names)] if body else outer

    def remember(self, node: ast.comprehension, stmt: ast.stmt) -> None:
        """Bind a comprehension's variable as if the function had."""
        for item in walk(node.target):
            if isinstance(item, ast.Name):
                found = self.scope.bindings.setdefault(item.id, [])
                if not any(binding.value is node.iter for binding in found):
                    found.append(Binding(item.id, node.iter, BindingKind.ITERATED, stmt))

    def is_relevant(self, node: ast.AST) -> bool:
        first: int = getattr(node, "lineno", 0)
        last: int = getattr(node, "end_lineno", first) or first
        at = bisect_left(self.relevant, first)
        return at < len(self.relevant) and self.relevant[at] <= last


def _pattern_test(subject: ast.expr, case: ast.match_case) -> ast.expr:
    """Return a pattern as the comparison it most often is."""
    if isinstance(case.pattern, ast.MatchValue) and case.guard is None:
        return ast.copy_location(ast.Compare(subject, [ast.Eq()], [case.pattern.value]), subject)
    return ast.copy_location(ast.Name(f"case@{case.pattern.lineno}"), subject)


def _binds(stmt: ast.stmt) -> Block:
    if isinstance(stmt, ast.Assign):
        names = tuple(
            name for target in stmt.targets for item in walk(target) if (name := dotted(item))
        )
        single = len(stmt.targets) == 1 and not isinstance(stmt.targets[0], ast.Tuple | ast.List)
        return [Bind(stmt, names, stmt.value if single else None)]
    if isinstance(stmt, ast.AnnAssign | ast.AugAssign):
        name = dotted(stmt.target)
        value = stmt.value if isinstance(stmt, ast.AnnAssign) else None
        return [Bind(stmt, (name,), value)] if name else []
    return []


def _read_by_tests(block: Block, scope: Scope) -> set[str]:
    """Names and paths that some test reads, directly or through what it was assigned from."""
    found: set[str] = set()
    todo = list(block)
    while todo:
        node = todo.pop()
        if isinstance(node, Branch):
            found |= _paths(node.test)
        for inner in blocks(node):
            todo.extend(inner)
    fresh = set(found)
    for _ in range(3):
        fresh = {
            path
            for name in fresh
            for binding in scope.bindings.get(name, ())
            if binding.value is not None and len(scope.bindings[name]) <= 2
            for path in _paths(binding.value)
        } - found
        found |= fresh
    return found


@kept
def _paths(node: ast.AST) -> set[str]:
    return {
        name
        for item in walk(node)
        if isinstance(item, ast.Name | ast.Attribute | ast.Subscript) and (name := dotted(item))
    }


def _pruned(block: Block, read: set[str]) -> Block:
    """Without bindings that no test reads and without what holds nothing."""
    every = [block]
    for outer in every:
        every.extend(inner for node in outer for inner in blocks(node))
    # Inner blocks before those that they stand in.
    for inner in reversed(every):
        inner[:] = [node for node in inner if _is_needed(node, read)]
    return block


def _is_needed(node: Node, read: set[str]) -> bool:
    if isinstance(node, Bind):
        node.names = tuple(name for name in node.names if name in read)
        return bool(node.names)
    if isinstance(node, LoopNode):
        return acts_in(node)
    return not isinstance(node, Branch | Guard | Within) or any(blocks(node))
