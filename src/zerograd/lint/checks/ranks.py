"""ZG501 and ZG504: gradients that ranks never share, or share too often."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import ranks
from zerograd.lifecycle.verdicts.accumulation import is_plain
from zerograd.lifecycle.verdicts.verdict import Unknown, no, shown
from zerograd.lint.checks import chosen_sync
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, loops_around, spot, unsaid
from zerograd.lint.checks.evidence.counted_windows import sum_facts
from zerograd.lint.checks.evidence.windows import made_either_way, windows
from zerograd.lint.confidence import is_silent
from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import last_name, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Fact
    from zerograd.lint.program.module import Module

BY_HAND = re.compile(
    r"reduce_scatter|average_(?:grad|param)|sync_(?:grad|param)\w*\("
    r"|all_reduce\w*\((?![^,()\n]{0,80}?(?:loss|acc|corr|metric|count|num|tot|val|norm|time|stat))"
)
"""Programs that share gradients or parameters themselves; a loss or a count is for the log."""

FLAGS = ("require_backward_grad_sync",)


def check(case: Case) -> Iterator[Draft]:
    """Programs that wrap a module for several ranks."""
    modules = {
        id(event.frame.function.module): event.frame.function.module for event in case.plan.events
    }
    if not any(_parallel(module) for module in modules.values()):
        return
    by_hand = any(module.matches(BY_HAND) for module in modules.values())
    reduced = Unknown("not-reduced-by-hand") if by_hand else False
    yield from _never_synced(case, reduced)
    yield from chosen_sync.check(case, reduced)
    yield from _flag_too_late(case, reduced)
    chosen = any(
        "no_sync" in module.source.text or "grad_sync" in module.source.text
        for module in modules.values()
    )
    yield from _each_micro_batch(case, chosen=chosen, reduced=reduced)


def _parallel(module: Module) -> bool:
    return any(name in module.source.text for name in ("DistributedDataParallel", "DDP("))


def _never_synced(case: Case, reduced: Fact) -> Iterator[Draft]:
    """Every deposit that a step spends was made under `no_sync`."""
    told: set[int] = set()
    for seen in case.steps():
        made = [case.event(item.source) for item in seen.account.fresh]
        fresh = [*(twin for one in made for twin in made_either_way(case, one)), *made]
        contexts = [_no_sync(case, seen.at, event) for event in fresh]
        block = contexts[-1] if contexts and None not in contexts else None
        verdict = ranks.closing_alone(
            closes_window=shown(not seen.account.extra, "account-followed"),
            synced=block is None,
            written=reduced,
            bypassed=False,
        )
        if verdict is None or block is None:
            continue
        if is_silent(verdict):
            yield unsaid(verdict, seen.event, seen.at)
            continue
        if id(block.node) in told:
            continue
        told.add(id(block.node))
        message = (
            f"`{text(fresh[-1].node)}` closes the window under `no_sync`: "
            "the ranks never share these gradients"
        )
        yield Draft(
            verdict,
            block,
            message,
            "leave `no_sync` for the last micro-batch of a window",
            [("deposited here", spot(fresh[-1])), ("spent here", spot(seen.event))],
        )


def _no_sync(case: Case, at: int, event: SourceEvent) -> Spot | None:
    """Return the `with model.no_sync():` around a deposit, if nothing else decides about it."""
    for item in event.context:
        for entry in getattr(item.node, "items", []) if item.place is EnclosingKind.WITH else []:
            call = entry.context_expr
            if (
                isinstance(call, ast.Call)
                and last_name(call.func) == "no_sync"
                and not (call.args or call.keywords)
                and not chosen_sync.is_anothers(case, at, call.func, item.frame)
            ):
                return Spot(call, item.frame.function.module)
    return None


def _flag_too_late(case: Case, reduced: Fact) -> Iterator[Draft]:
    """DDP reads the flag in forward: setting it between forward and backward does nothing."""
    for event in case.plan.events:
        if event.effect is not CallEffect.DEPOSIT or not loops_around(event):
            continue
        loop = loops_around(event)[-1]
        made = getattr(event.node, "lineno", 0)
        for node in walk(loop):
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Attribute)
                and (node.targets[0].attr in FLAGS and node.lineno < made)
            ):
                model = text(node.targets[0].value)
                calls = [
                    item.lineno
                    for item in walk(loop)
                    if isinstance(item, ast.Call) and text(item.func) == model
                ]
                verdict = ranks.closing_alone(
                    closes_window=True,
                    synced=not calls or max(calls) >= node.lineno,
                    written=reduced,
                    bypassed=False,
                )
                if verdict is not None:
                    message = (
                        f"`{text(node)}` comes after the forward that reads it: "
                        "it has no effect on this backward"
                    )
                    yield Draft(
                        verdict,
                        Spot(node, event.frame.function.module),
                        message,
                        f"set it before `{model}(...)` is called",
                        [("deposited here", spot(event))],
                    )


def _each_micro_batch(case: Case, *, chosen: bool, reduced: Fact) -> Iterator[Draft]:
    for window in windows(case):
        verdict = ranks.sync_each_micro_batch(
            several=not window.gated and is_plain(sum_facts(case, window)),
            # A program that chooses when to reduce, or that reduces by hand, knows what it does.
            synced_each=not chosen and no(reduced),
        )
        if verdict is None:
            continue
        if is_silent(verdict):
            yield unsaid(verdict, window.deposit, window.at)
            continue
        message = f"`{text(window.deposit.node)}` reduces over the ranks at every micro-batch"
        yield Draft(
            verdict,
            spot(window.deposit),
            message,
            "run all but the last micro-batch under `model.no_sync()`",
            [("spent here", spot(window.step))],
            (window.deposit,),
            window.at,
        )
