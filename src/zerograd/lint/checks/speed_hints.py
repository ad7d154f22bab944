"""ZG701 and ZG702: hints that make training faster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.lint.checks.evidence.case import Case, Draft, Spot, spot
from zerograd.lint.checks.evidence.optimizers import built
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import keyword, text
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

FUSED = frozenset({"SGD", "Adam", "AdamW", "Adagrad"})
"""torch's optimizers that have a fused kernel."""

CHOICES = ("fused", "foreach", "capturable", "differentiable")


def check(case: Case) -> Iterator[Draft]:
    """Find clears that keep zeros, and optimizers that leave their fused kernel unused."""
    for event in case.plan.events:
        if event.effect is CallEffect.CLEAR and event.keeps_zeros and not event.manual:
            if ".grad" in event.frame.function.module.source.text:
                continue
            message = f"`{text(event.node)}` writes zeros where None would do"
            yield Draft(
                Verdict("zero-in-place", Severity.HINT),
                spot(event),
                message,
                "leave out `set_to_none=False`",
                [],
                (event,),
            )
    for item in built(case):
        maker = item.value.maker or ""
        if (
            maker.startswith("torch.optim.")
            and maker.rpartition(".")[2] in FUSED
            and not any(keyword(item.site, name) is not None for name in CHOICES)
        ):
            message = f"`{item.label}` has a fused kernel and runs without it"
            yield Draft(
                Verdict("unfused-optimizer", Severity.HINT),
                Spot(item.site, item.module),
                message,
                "pass `fused=True`",
            )
