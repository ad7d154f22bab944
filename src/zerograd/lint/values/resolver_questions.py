"""What the parts of name resolution ask of the whole: who an expression is, and its origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, MutableMapping

    from zerograd.lint.analysis_budget import Budget
    from zerograd.lint.program.module import Class, Function, Module
    from zerograd.lint.program.project import Project
    from zerograd.lint.values.value import CallFrame, Key, Value

T = TypeVar("T")


class ResolverQuestions(Protocol):
    """The questions that `Resolver` answers."""

    project: Project

    budget: Budget

    def find(
        self, answers: MutableMapping[Any, Any], key: object, find: Callable[..., T], *about: object
    ) -> T:
        """Find an answer and keep it; whoever asks for it meanwhile gets None."""
        ...

    def value(self, node: ast.AST | None, frame: CallFrame) -> Value | None:
        """Return what an expression stands for."""
        ...

    def body(self, module: Module) -> CallFrame:
        """Return the frame of a module's own body."""
        ...

    def alone(self, function: Function, receiver: Class | None = None) -> CallFrame:
        """Return the frame of a function as if nobody called it."""
        ...

    def origin(self, node: ast.AST, frame: CallFrame) -> str | None:
        """Return the dotted origin of what an expression names."""
        ...

    def definition(self, node: ast.AST, frame: CallFrame) -> Function | Class | None:
        """Return the project's own function or class that an expression names."""
        ...

    def suggested(self, name: str, key: Key, frame: CallFrame) -> Value | None:
        """Return an object of which only the name is known."""
        ...
