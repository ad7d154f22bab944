"""ZG602: a `training_step` keeps the losses that it returns, and Lightning runs their backward.

    def training_step(self, batch, batch_idx):
        loss = F.mse_loss(self(batch[0]), batch[1])
        self.losses.append(loss)
        return loss

No deposit is written here, and no loop: the method is one round of Lightning's own.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.graph import kept_graph
from zerograd.lint.checks.evidence.case import Draft, Spot
from zerograd.lint.checks.kept_graph import GROWS, SHRINKS, sums
from zerograd.lint.interpret.loss_receivers import brought
from zerograd.lint.program.scope import BindingKind, returns
from zerograd.lint.program.syntax import is_constant, last_name, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.program.module import Class, Function, Module

METHOD = "training_step"
MANUAL = ("automatic_optimization", "manual_backward")


def check_module(module: Module) -> Iterator[Draft]:
    """Classes derived from a LightningModule that leave the backward to Lightning."""
    if not module.mentions("LightningModule") or any(map(module.mentions, MANUAL)):
        return
    for cls in module.classes.values():
        method = cls.methods.get(METHOD)
        if method is not None and any(_is_lightning(base) for base in cls.bases):
            yield from _kept_by(cls, method)


def _is_lightning(base: ast.expr) -> bool:
    return (last_name(base) or "").endswith("LightningModule")


def _kept_by(cls: Class, method: Function) -> Iterator[Draft]:
    names = frozenset(name for name in _returned(method) if _is_bound_once(name, method))
    for node in walk(method.node) if names else ():
        found = _grown(node, cls, method, names) or _summed(node, cls, method, names)
        verdict = kept_graph(graphs_stay_alive=found is not None)
        if verdict is not None and found is not None:
            message = f"`{text(node)}` keeps the graph of every `{found}` alive"
            yield Draft(verdict, Spot(node, method.module), message, f"keep `{found}.detach()`")


def _returned(method: Function) -> Iterator[str]:
    """Yield the loss of `return loss` and `return {"loss": loss}`."""
    for value in returns(method.node):
        if isinstance(value, ast.Name):
            yield value.id
        elif isinstance(value, ast.Dict):
            for key, item in zip(value.keys, value.values, strict=True):
                if key is not None and is_constant(key, "loss") and isinstance(item, ast.Name):
                    yield item.id


def _is_bound_once(name: str, method: Function) -> bool:
    """Tell whether a name is the same wherever it stands: not `loss = loss.detach()` later on."""
    found = method.scope.bindings.get(name, [])
    return len(found) == 1 and found[0].how is BindingKind.ASSIGNED


def _grown(node: ast.AST, cls: Class, method: Function, names: frozenset[str]) -> str | None:
    """`self.losses.append(loss)`, where nothing ever takes from the list or sets it anew."""
    func = node.func if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(func, ast.Attribute):
        return None
    attr = _own(func.value, method)
    if attr is None or func.attr not in GROWS:
        return None
    makers = {made.last_name for made, _ in cls.assignments(attr)}
    if makers != {"__init__"} or method.module.attributes(text(func.value)) & SHRINKS:
        return None
    return next(filter(None, (brought(item, names) for item in node.args)), None)


def _summed(node: ast.AST, cls: Class, method: Function, names: frozenset[str]) -> str | None:
    """`self.total += loss`, where the method itself does not set it anew."""
    found = sums(node, names)
    attr = _own(found[0], method) if found is not None else None
    if found is None or attr is None:
        return None
    made = [
        (other, item.node)
        for other, bindings in cls.assignments(attr)
        for item in bindings
        if item.node is not node
    ]
    is_kept = bool(made) and all(other is not method for other, _ in made)
    return found[1] if is_kept else None


def _own(node: ast.expr, method: Function) -> str | None:
    """Return `losses` of `self.losses`."""
    is_own = isinstance(node, ast.Attribute) and text(node.value) == method.self_name
    return node.attr if is_own and isinstance(node, ast.Attribute) else None
