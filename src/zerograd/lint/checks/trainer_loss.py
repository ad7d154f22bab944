"""ZG209: a Trainer's own `compute_loss` ignores the items of the window, or divides once too often.

Transformers' Trainer counts the labels of all micro-batches of a step and hands the count to
`compute_loss`. Where the model takes loss arguments, it relies on that division and leaves out its
own: a `compute_loss` that ignores the count makes k means weigh k times as much as one batch, and
short micro-batches as much as long ones.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.lint.checks.evidence.case import Draft, Spot
from zerograd.lint.program.syntax import last_name, walk
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.program.module import Module

METHOD = "compute_loss"
ITEMS = "num_items_in_batch"
STEPS = "gradient_accumulation_steps"
SETTLED = ("model_accepts_loss_kwargs", "compute_loss_func")
"""Who sets one of these has told the Trainer who divides."""

LIBRARIES = ("transformers", "trl", "peft", "swift", "unsloth")


def check_module(module: Module) -> Iterator[Draft]:
    """Classes derived from a Trainer of Transformers or of a library that builds on it."""
    if not module.mentions(METHOD) or any(module.mentions(name) for name in SETTLED):
        return
    if not any(module.mentions(name) for name in LIBRARIES):
        return
    for cls in walk(module.tree):
        if isinstance(cls, ast.ClassDef) and any(_is_trainer(base) for base in cls.bases):
            for method in cls.body:
                if isinstance(method, ast.FunctionDef) and method.name == METHOD:
                    draft = _judged(method, module)
                    if draft is not None:
                        yield draft


def _is_trainer(base: ast.expr) -> bool:
    return (last_name(base) or "").endswith("Trainer")


def _judged(method: ast.FunctionDef, module: Module) -> Draft | None:
    taken = ITEMS in {item.arg for item in (*method.args.args, *method.args.kwonlyargs)}
    rest = method.args.kwarg.arg if method.args.kwarg is not None else None
    if not taken and rest is None:
        return None  # an older Transformers: nobody hands over a count
    names = {node.id for node in walk(method) if isinstance(node, ast.Name)}
    used = (taken and ITEMS in names) or (rest is not None and rest in names)
    if used:
        return _twice(method, module) if taken and ITEMS in names else None
    if _asks_its_base(method) or not _returns_a_loss(method):
        return None
    # Without accumulation there is one micro-batch, and nothing to weigh.
    sure = taken and module.mentions(STEPS)
    return _draft(
        method,
        module,
        Severity.WARNING if sure else Severity.HINT,
        f"`{METHOD}` ignores `{ITEMS}`: each micro-batch is divided by its own items, and the "
        "Trainer relies on the division by those of the whole step",
        f"sum the losses and divide by `{ITEMS}`, or set `self.model_accepts_loss_kwargs = False` "
        "for a mean of means",
    )


def _asks_its_base(method: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.Call) and last_name(node.func) in (METHOD, "loss_function")
        for node in walk(method)
    )


def _returns_a_loss(method: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Return) and node.value is not None for node in walk(method))


def _twice(method: ast.FunctionDef, module: Module) -> Draft | None:
    """Judge a loss that is divided by the items of the step, and by its micro-batches as well."""
    divisors = [
        node.right if isinstance(node, ast.BinOp) else node.value
        for node in walk(method)
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div)
    ]
    spelled = [{_word(item) for item in walk(divisor)} for divisor in divisors]
    by_items = any(ITEMS in words for words in spelled)
    by_steps = any(STEPS in words for words in spelled)
    if not (by_items and by_steps):
        return None
    return _draft(
        method,
        module,
        Severity.WARNING,
        f"`{METHOD}` divides by `{ITEMS}`, which are those of the whole step, and by "
        f"`{STEPS}` as well",
        f"divide by `{ITEMS}` alone",
    )


def _word(node: ast.AST) -> str | None:
    return last_name(node) if isinstance(node, ast.Name | ast.Attribute) else None


def _draft(
    method: ast.FunctionDef, module: Module, severity: Severity, message: str, help_: str
) -> Draft:
    return Draft(Verdict("items-ignored", severity), Spot(method, module), message, help_)
