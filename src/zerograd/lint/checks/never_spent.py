"""ZG303: deposits in an optimizer's accounts that no step of the program ever spends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, Spot, loops_around, spot
from zerograd.lint.checks.optimizers import Built, built, hidden
from zerograd.lint.events.event import Place
from zerograd.lint.interpret.reach import reach_of
from zerograd.lint.knowledge import Effect
from zerograd.lint.names import parameters
from zerograd.lint.syntax import text
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import Event

LOOKING = frozenset({"zero_grad", "param_groups", "state_dict", "load_state_dict"})
"""What can be asked of an optimizer without stepping it."""

GRADIENT = re.compile(r"\.grad\b")
"""Gradients that the program reads itself, as attacks do, need no step."""


def check(case: Case) -> Iterator[Draft]:
    """Optimizers of a whole program that are built, reached by a backward and never stepped."""
    yield from _mistaken(case)
    if case.plan.frame.function.name or hidden(case):
        return
    for item in built(case):
        if case.plan.index(item.value.key) is not None or not _only_looked_at(item):
            continue
        made = _reached(case, item)
        if made is not None:
            message = f"`{item.label}` is never stepped: its gradients are computed and not used"
            yield Draft(
                "never-spent",
                Spot(item.site, item.module),
                message,
                Severity.WARNING,
                f"call `{item.label}.step()` after the backward",
                [("deposited here", spot(made))],
            )


def _mistaken(case: Case) -> Iterator[Draft]:
    """Find an optimizer whose place in a call another one has taken: `train(g_opt, g_opt)`."""
    given = [
        (name, argument, event)
        for event in case.plan.events
        if event.inside is not None and event.enters is not None
        for name, (argument, caller) in event.inside.arguments.items()
        if caller is event.frame and _steps(case, event)
    ]
    for item in built(case):
        label = item.value.key[-1]
        if case.plan.index(item.value.key) is not None:
            continue
        if any(text(argument) == label for _, argument, _ in given):
            continue
        for name, argument, event in given:
            value = case.resolver.value(argument, event.frame) if name == label else None
            if value is not None and case.plan.index(value.key) is not None:
                message = f"`{label}` is never stepped: `{text(argument)}` is given in its place"
                yield Draft(
                    "never-spent",
                    Spot(item.site, item.module),
                    message,
                    Severity.WARNING,
                    f"pass `{label}` as `{label}`",
                    [("given here", spot(event))],
                )
                break


def _steps(case: Case, event: Event) -> bool:
    """Tell whether a call steps an optimizer, itself or through others."""
    return any(
        other.effect is Effect.STEP
        and any(item.place is Place.CALL and item.node is event.node for item in other.context)
        for other in case.plan.events
    )


def _only_looked_at(item: Built) -> bool:
    """Tell whether the program's text never steps it, hands it on or stores it."""
    module = item.event.frame.function.module
    if GRADIENT.search(module.source.text):
        return False
    if module.attributes.get(item.label, set()) - LOOKING:
        return False
    if "." in item.label and not item.label.startswith("self."):
        return False
    spelled = re.escape(item.label)
    for match in re.finditer(rf"(?<![\w.]){spelled}\b(?!\s*\.)(?!\s*=[^=])", module.source.text):
        line_start = module.source.text.rfind("\n", 0, match.start()) + 1
        line = module.source.text[line_start : match.start()]
        if "#" not in line and not re.search(r"(lr_scheduler|LR|Scheduler)\w*\s*\($", line):
            return False
    return True


def _reached(case: Case, item: Built) -> Event | None:
    several = len(built(case)) > 1
    for event in case.plan.events:
        if event.effect is not Effect.DEPOSIT or not loops_around(event):
            continue
        if not several:
            return event
        reached = reach_of(event, case.plan, case.resolver)
        if (
            item.atoms
            and reached.atoms
            and reached.complete
            and not parameters.disjoint(item.atoms, reached.atoms)
        ):
            return event
    return None
