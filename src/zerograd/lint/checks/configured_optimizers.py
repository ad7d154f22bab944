"""ZG307 in `configure_optimizers`: Lightning runs it, and no line of the program does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.checks.shared_parameter import given_twice
from zerograd.lint.program.syntax import text, walk
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.checks.evidence.case import Case, Draft


def check(case: Case) -> Iterator[Draft]:
    """Look at every optimizer that a module of Lightning's tells it to step."""
    module = case.plan.frame.function.module
    for function in module.functions.values():
        if function.last_name != "configure_optimizers":
            continue
        frame = case.resolver.alone(function)
        for node in walk(function.node):
            value = case.resolver.value(node, frame) if isinstance(node, ast.Call) else None
            if value is None or value.kind is not ValueKind.OPTIMIZER or value.site is not node:
                continue
            yield from given_twice(value, module, text(node.func))
