"""One layer of lint at a time: small programs, and what each layer makes of them."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import TYPE_CHECKING

from zerograd.lint import Analyser, Project, Source
from zerograd.lint.program.flow import Act, Bind, Branch, Guard, Leave, LoopNode, Within
from zerograd.lint.program.relevance import Relevance
from zerograd.lint.values.resolver import Resolver

if TYPE_CHECKING:
    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.events import SourceEvent
    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.program.flow import Block, Node
    from zerograd.lint.program.module import Module
    from zerograd.lint.roots import Root
    from zerograd.lint.values.value import CallFrame

PRELUDE = dedent("""\
    import torch, copy
    from torch import nn, optim
    import torch.nn.functional as F
    model = nn.Linear(3, 1)
    other = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rival = torch.optim.SGD(other.parameters(), lr=0.1)
""")
"""Two modules, each with an optimizer."""


class Opened:
    """A program with its resolver and the frame of its body."""

    def __init__(self, program: str, prelude: str = PRELUDE) -> None:
        self.module: Module = Project().module(Source("train.py", prelude + dedent(program)))
        self.resolver = Resolver(Project())
        self.relevance = Relevance(self.resolver.project)
        self.frame: CallFrame = self.resolver.body(self.module)

    @property
    def last(self) -> ast.expr:
        """The expression that the program ends with."""
        statement = self.module.tree.body[-1]
        assert isinstance(statement, ast.Expr)
        return statement.value

    def flow(self) -> Block:
        return self.relevance.flow(self.module.body)


class Listening(Analyser):
    """Keeps what the checks are given."""

    def __init__(self) -> None:
        super().__init__(Project(), repairs=False)
        self.cases: list[Case] = []

    def run(self, plan: RootPlan, root: Root) -> Case:
        self.cases.append(super().run(plan, root))
        return self.cases[-1]


def case_of(program: str, prelude: str = PRELUDE) -> Case:
    """Return the root of a program that holds most events, after it was run."""
    analyser = Listening()
    analyser.analyse(Source("train.py", prelude + dedent(program)))
    return max(analyser.cases, key=lambda case: len(case.plan.events))


def events_of(program: str, prelude: str = PRELUDE) -> list[SourceEvent]:
    """Return the events behind the prelude, in order."""
    first = prelude.count("\n") + 1
    events = case_of(program, prelude).plan.events
    return [event for event in events if getattr(event.node, "lineno", 0) >= first]


def effects_of(program: str) -> list[str]:
    """Return what a program does, an effect a word."""
    return [event.effect.name for event in events_of(program) if event.effect is not None]


def drawn(block: Block) -> str:
    """Draw a flow: `loop(act if(act | leave))`."""
    return " ".join(_drawn(node) for node in block)


def _drawn(node: Node) -> str:
    if isinstance(node, Act):
        return "act"
    if isinstance(node, Bind):
        return "bind:" + ",".join(node.names)
    if isinstance(node, Leave):
        return node.way.name.lower()
    if isinstance(node, Branch):
        return f"if({drawn(node.then)} | {drawn(node.other)})"
    if isinstance(node, LoopNode):
        return f"loop({drawn(node.body)})" + (f" else({drawn(node.orelse)})" if node.orelse else "")
    if isinstance(node, Guard):
        handlers = " / ".join(drawn(item) for item in node.handlers)
        return f"try({drawn(node.body)} | {handlers} | {drawn(node.final)})"
    assert isinstance(node, Within)
    return f"with({drawn(node.body)})"
