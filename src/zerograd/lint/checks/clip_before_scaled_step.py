"""ZG402 where the backward stands elsewhere: a clip, then the scaler's step, and no `unscale_`.

`def update(self): clip_grad_norm_(...); self.scaler.step(self.opt); self.scaler.update()` is called
after a backward that another method or another file runs. Only scaled gradients are stepped
through a scaler, so that the clip sees scaled ones, unless somebody unscales them before.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import scaling
from zerograd.lint.checks.clips import measures
from zerograd.lint.checks.evidence.case import (
    Case,
    Draft,
    are_alternatives,
    callers,
    spot,
    tests_around,
    unsaid,
)
from zerograd.lint.checks.evidence.unseen_loops import files_around
from zerograd.lint.confidence import is_silent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import (
    argument,
    is_constant,
    keyword,
    last_name,
    root_name,
    text,
)
from zerograd.source.names import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import SourceEvent

UNSCALING = ("unscale", "inv_scale", "get_scale")
"""What a file has in it that takes the scale off its gradients, or reads it to do so."""

SWITCHES = frozenset({"amp", "fp16", "half", "scaler", "scale", "mixed", "precision", "bf16"})
"""Words of a test that may ask whether the gradients are scaled."""


def check(case: Case) -> Iterator[Draft]:
    """Find clips and scaler steps of one function that holds no backward."""
    told: set[int] = set()
    for step in case.plan.events:
        if step.effect is not CallEffect.STEP or step.scaler is None:
            continue
        for clip in case.plan.events[: step.number]:
            new = clip.effect is CallEffect.CLIP and id(clip.node) not in told
            if new and _is_before(clip, step, case):
                told.add(id(clip.node))
                yield from _draft(case, clip, step)


def _is_before(clip: SourceEvent, step: SourceEvent, case: Case) -> bool:
    """Tell whether one call of a function clips and then steps what was deposited outside of it."""
    return (
        clip.frame is step.frame
        and not (clip.unscales or measures(clip) or are_alternatives(clip, step))
        and not any(
            event.effect in (CallEffect.DEPOSIT, CallEffect.UNSCALE) and event.frame is clip.frame
            for event in case.plan.events
        )
    )


def _draft(case: Case, clip: SourceEvent, step: SourceEvent) -> Iterator[Draft]:
    verdict = scaling.clip_before_unscale(scaled=not _is_off(step), written=False)
    if verdict is None:
        return
    assert isinstance(clip.node, ast.Call)
    limit = argument(clip.node, 1, "max_norm") or keyword(clip.node, "clip_value")
    verdict = verdict.assuming(
        {
            "scaler-known": step.scaler is not None and step.scaler.site is not None,
            "nothing-hidden": not _may_unscale(case, clip),
            "limit-is-unscaled": limit is None or "scale" not in text(limit),
            "scaler-is-on": SWITCHES.isdisjoint(_switches(clip, step)),
        }
    )
    if is_silent(verdict):
        yield unsaid(verdict, clip)
        return
    yield Draft(
        verdict,
        spot(clip),
        f"`{last_name(clip.node.func)}` sees gradients that still carry the loss scale",
        _help(clip, step),
        [("stepped through the scaler here", spot(step)), *callers(clip)],
        (clip, step),
    )


def _help(clip: SourceEvent, step: SourceEvent) -> str:
    """Say what to type; a name that gets its value below the clip cannot be used above it."""
    assert isinstance(step.node, ast.Call)
    func, given = step.node.func, argument(step.node, 0, "optimizer")
    receiver = text(func.value) if isinstance(func, ast.Attribute) else "scaler"
    unscale = f"{receiver}.unscale_({text(given) if given is not None else 'optimizer'})"
    bindings, first = clip.frame.function.scope.bindings, getattr(clip.node, "lineno", 0)
    names = [root_name(node) or "" for node in (func, given) if node is not None]
    later = [
        name
        for name in names
        if bindings.get(name) and all(item.node.lineno > first for item in bindings[name])
    ]
    if later:
        return f"clip below the line that sets `{later[0]}`, after `{unscale}`"
    return f"call `{unscale}` first"


def _is_off(step: SourceEvent) -> bool:
    """`GradScaler(enabled=False)`: whether the scaler never scales."""
    site = step.scaler.site if step.scaler is not None else None
    return site is not None and is_constant(keyword(site, "enabled"), False)


def _may_unscale(case: Case, clip: SourceEvent) -> bool:
    """Tell whether a caller, a kin method or a call that cannot be followed may unscale before."""
    return any(
        event.effect in (CallEffect.UNKNOWN, CallEffect.WRITE)
        for event in case.plan.events[: clip.number]
    ) or any(
        module.mentions(word)
        for module in files_around(clip.frame.function, case)
        for word in UNSCALING
    )


def _switches(clip: SourceEvent, step: SourceEvent) -> set[str]:
    """Return the words of the tests that the clip stands under and the step does not."""
    shared = {id(node) for node, _ in tests_around(step)}
    return {
        word
        for node, _ in tests_around(clip)
        if id(node) not in shared
        for word in words(text(getattr(node, "test", node)))
    }
