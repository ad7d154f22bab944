"""ZG210: an average of the weights that advances at each micro-batch of a window."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import accumulation
from zerograd.lifecycle.verdicts.verdict import shown
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, spot
from zerograd.lint.checks.evidence.counted_windows import sum_facts
from zerograd.lint.checks.evidence.windows import AbstractWindow, moduli, windows
from zerograd.lint.program.syntax import last_name, names_in, text
from zerograd.lint.values.call_results import PARAMETER_METHODS
from zerograd.lint.values.value import ValueKind
from zerograd.source.averages import AVERAGES
from zerograd.source.names import has_word, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.values.value import CallFrame

UPDATES = re.compile(r"^(?:update|step$|ema_update|ema_step|accumulate_ema|momentum_update)")
"""What such a method is called; `ema.state_dict()` and `ema.eval()` change nothing."""

MAKERS = ("AveragedModel", "EMA", "ExponentialMovingAverage", "EMAModel", "ModelEma", "ModelEmaV2")

WEIGHTS = PARAMETER_METHODS | {"state_dict"}
MODELS = (
    *("model", "net", "network", "module", "policy", "actor", "generator", "params", "weights"),
    *("student", "unet", "encoder", "decoder", "transformer", "backbone", "online"),
)
"""How a model is called that was handed in, and was not seen made."""

NUMBERS = frozenset({"detach", "float", "item", "mean", "norm", "sum"})
"""Calls whose results are numbers, or tensors of a batch, and never weights."""

BLENDS = frozenset({"accumulate", "average", "blend", "lerp", "step", "update"})
"""Words of functions that move one model's weights towards those of another that they are given."""

NAMED = (ast.Name, ast.Attribute)

PLAIN = re.compile(
    r"^(?:not )?[\w.]+(?: is (?:not )?None| > 0| >=? (?:\d+|[\w.]*(?:after|begin|start|warm)\w*))?$"
)
"""A test that asks whether there is an average yet, and not whether a window ends."""


def check(case: Case) -> Iterator[Draft]:
    """Yield updates in the deposit's loop that no test for the end of a window holds back."""
    told: set[int] = set()
    for window in windows(case):
        if sum_facts(case, window).several is not True or window.loop is None:
            continue
        for call in _calls(window):
            known = _is_made(case, window, call)
            if id(call) in told or known is False:
                continue
            if not known and not (_is_named(call) and _may_have_weights(case, window, call)):
                continue
            verdict = accumulation.average_in_window(
                several=True, at_each_deposit=shown(known is True, "module-by-name")
            )
            if verdict is not None:
                told.add(id(call))
                yield _draft(verdict, call, window)


def _calls(window: AbstractWindow) -> Iterator[ast.Call]:
    """Yield the calls that run in every round of a window's loop."""
    todo: list[ast.AST] = list(getattr(window.loop, "body", ()))
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield node.value
        elif isinstance(node, ast.With) or (
            isinstance(node, ast.If) and _runs_each_time(node, window)
        ):
            todo += node.body


def _runs_each_time(node: ast.If, window: AbstractWindow) -> bool:
    """Tell whether a block is run in every round, as far as a window's end decides."""
    spelled = text(node.test)
    if node.orelse or "sync" in spelled or "step" in spelled or _ends_alike(node.test, window):
        return False
    asked = [node.test]
    if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And):
        asked = node.test.values
    return all(PLAIN.match(text(part)) for part in asked)


def _ends_alike(test: ast.expr, window: AbstractWindow) -> bool:
    """`if seen >= 4:` twice: whether a test reads what a window counts without a modulo."""
    if window.test is None or any(moduli(window)):
        return False
    return not names_in(test).isdisjoint(names_in(window.test))


def _is_made(case: Case, window: AbstractWindow, call: ast.Call) -> bool | None:
    """Tell whether the receiver was built as an average of weights; None where only names say so.

    It was given a model, then or now. `EMA(beta=0.9)` with `ema.update(*norms)` averages numbers.
    """
    if not isinstance(call.func, ast.Attribute) or not UPDATES.match(call.func.attr):
        return None
    value = case.resolver.value(call.func.value, window.deposit.frame)
    if value is None or value.site is None or value.frame is None:
        return None
    if (value.maker or "").rpartition(".")[2] not in MAKERS:
        return None
    calls = [(call, window.deposit.frame), (value.site, value.frame)]
    return any(
        _has_weights(case, given, frame)
        for made, frame in calls
        for given in (*made.args, *(item.value for item in made.keywords))
    )


def _may_have_weights(case: Case, window: AbstractWindow, call: ast.Call) -> bool:
    """Tell whether a call is given weights, or only has those that its object keeps.

    `teacher_metrics.update(out.cpu(), target)` averages neither.
    """
    given = [*call.args, *(item.value for item in call.keywords)]
    return not given or any(_has_weights(case, item, window.deposit.frame) for item in given)


def _has_weights(case: Case, node: ast.expr, frame: CallFrame) -> bool:
    """`model`, `net.module`, `policy.parameters()`: whether an argument brings weights along."""
    if isinstance(node, ast.Call) and last_name(node.func) in WEIGHTS:
        return True
    value = case.resolver.value(node, frame)
    if value is not None and value.kind in (ValueKind.MODULE, ValueKind.PARAMETER):
        return True
    named = isinstance(node, ast.Name | ast.Attribute)
    return named and has_word(last_name(node) or "", MODELS)


def _is_named(call: ast.Call) -> bool:
    """Tell whether a call says that it updates an average: `ema.update(m)`, `update_ema(a, b)`."""
    name = (last_name(call.func) or "").lstrip("_")
    if any(_is_number(given) for given in call.args):
        return False
    if isinstance(call.func, ast.Attribute) and UPDATES.match(name):
        holder = last_name(call.func.value) or ""
        return bool(AVERAGES.search(holder) or AVERAGES.search(name))
    if not isinstance(call.func, ast.Name):
        return False
    if "update" in name and AVERAGES.search(name):
        return True
    return not BLENDS.isdisjoint(words(name)) and _is_given_both(call)


def _is_given_both(call: ast.Call) -> bool:
    """`accumulate(g_ema, generator, 0.999)`: whether an average and a model are handed over."""
    named = [last_name(item) or "" for item in call.args if isinstance(item, NAMED)]
    averages = [name for name in named if AVERAGES.search(name)]
    return bool(averages) and any(has_word(name, MODELS) for name in named if name not in averages)


def _is_number(node: ast.expr) -> bool:
    """`"D_real"`, `score.mean().item()`: the average is one of outputs, by name or by value."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, ast.Call) and last_name(node.func) in NUMBERS


def _draft(verdict: Verdict, call: ast.Call, window: AbstractWindow) -> Draft:
    message = (
        f"`{text(call)}` advances an average of the weights at each micro-batch, "
        f"`{text(window.step.node)}` only once a window"
    )
    return Draft(
        verdict,
        Spot(call, window.deposit.frame.function.module),
        message,
        f"call it right after `{text(window.step.node)}`",
        [("deposited here", spot(window.deposit)), ("spent here", spot(window.step))],
        (window.deposit, window.step),
        window.at,
    )
