"""Layer: events. What one line does to gradients."""

from __future__ import annotations

import pytest
from layer_programs import effects_of, events_of

LOOP = "for x in loader:\n    loss = model(x).mean()\n    optimizer.step()\n"
"""Holds an account; what is tried stands behind it."""

LINES = {
    "a backward": ("loss.backward()", ["DEPOSIT"]),
    "a step": ("optimizer.step()", ["STEP"]),
    "an optimizer's zero_grad": ("optimizer.zero_grad()", ["CLEAR"]),
    "a module's zero_grad": ("model.zero_grad()", ["CLEAR"]),
    "a clip by norm": ("nn.utils.clip_grad_norm_(model.parameters(), 1.0)", ["CLIP"]),
    "a clip by value": ("nn.utils.clip_grad_value_(model.parameters(), 1.0)", ["CLIP"]),
    "None for each gradient": ("for p in model.parameters():\n    p.grad = None", ["CLEAR"]),
    "zero_ on each gradient": (
        "for p in model.parameters():\n    p.grad.zero_()",
        ["READ", "CLEAR"],
    ),
    "zeros for each gradient": (
        "for p in model.parameters():\n    p.grad = torch.zeros_like(p)",
        ["CLEAR"],
    ),
    "times zero": ("for p in model.parameters():\n    p.grad *= 0", ["CLEAR"]),
    "setattr to None": (
        "for p in model.parameters():\n    setattr(p, 'grad', None)",
        ["CLEAR"],
    ),
    "a foreach clear": ("torch._foreach_zero_([p.grad for p in model.parameters()])", ["CLEAR"]),
    "a write in place": ("for p in model.parameters():\n    p.grad.mul_(0.5)", ["READ", "WRITE"]),
    "an assignment": ("for p in model.parameters():\n    p.grad = clean(p)", ["WRITE"]),
    "a copy is a use": ("[p.grad.clone() for p in model.parameters()]", ["READ", "USE"]),
    "an update by hand": (
        "for p in model.parameters():\n    p.data -= 0.1 * p.grad",
        ["READ", "STEP"],
    ),
    "a freeze": ("for p in model.parameters():\n    p.requires_grad_(False)", ["FREEZE"]),
    "an unscaling": ("scaler = torch.amp.GradScaler()\nscaler.unscale_(optimizer)", ["UNSCALE"]),
    "an update of the scaler": ("scaler = torch.amp.GradScaler()\nscaler.update()", ["UPDATE"]),
    "a step through a scaler": (
        "scaler = torch.amp.GradScaler()\nscaler.step(optimizer)",
        ["STEP"],
    ),
    "a schedule": (
        "s = optim.lr_scheduler.StepLR(optimizer, 3)\ns.step()",
        ["SCHEDULE"],
    ),
    "a new optimizer": ("o = torch.optim.Adam(model.parameters())", ["BUILD"]),
    "a call that may do anything with the optimizer": ("train_step(optimizer)", ["UNKNOWN"]),
    "a call that only looks": ("log_step(optimizer)", []),
    "a progress bar": ("pbar.update(1)", []),
    "an environment's step": ("env.step(action)", []),
    "a scaler that is built on a line with another word": (
        "scaler = torch.amp.GradScaler(enabled=use_optim)",
        [],
    ),
    "a call of a module": ("model(x)", []),
    "a dictionary's update": ("{}.update(a=1)", []),
    "a method of another framework's name": ("self.remap(optimizer)", []),
}


@pytest.mark.parametrize(("line", "effects"), LINES.values(), ids=LINES)
def test_effect(line: str, effects: list[str]) -> None:
    assert effects_of(LOOP + line)[1:] == effects


def test_every_handler_of_a_method_has_an_event_word_and_the_other_way_round() -> None:
    from zerograd.lint.events.methods import HANDLERS
    from zerograd.lint.program.event_words import METHODS

    assert set(HANDLERS) == METHODS


def test_a_clear_to_none_leaves_none_and_one_with_the_argument_leaves_zeros() -> None:
    events = events_of(LOOP + "optimizer.zero_grad()\noptimizer.zero_grad(set_to_none=False)")

    assert [event.keeps_zeros for event in events[1:]] == [False, True]


def test_a_clear_whose_argument_is_unknown_leaves_either() -> None:
    events = events_of(LOOP + "optimizer.zero_grad(set_to_none=flag)")

    assert events[-1].keeps_zeros is None


def test_the_events_of_a_helper_follow_the_call_that_enters_it() -> None:
    program = "def back(loss):\n    loss.backward()\n" + LOOP + "back(loss)"

    entered = [event for event in events_of(program) if event.enters is not None]

    assert [event.enters.name for event in entered if event.enters] == ["back"]
    assert effects_of(program)[1:] == ["DEPOSIT"]


def test_an_event_knows_the_loops_and_tests_around_it() -> None:
    program = "for x in loader:\n    if x:\n        optimizer.step()"

    (event,) = events_of(program)

    assert [item.place.name for item in event.context] == ["LOOP", "THEN"]


def test_a_loop_over_parameters_is_no_loop_around_an_event() -> None:
    events = events_of(LOOP + "for p in model.parameters():\n    p.grad = None")

    assert events[-1].context == ()


TOUCHED = {
    "one optimizer's step touches its account": ("optimizer.step()", [0], []),
    "the other's touches the other": ("rival.step()", [1], []),
    "a module's clear touches who holds it": ("model.zero_grad()", [0], []),
    "a call that cannot be followed touches what it is given": ("train_step(optimizer)", [0], []),
    "a loss of one module reaches its optimizer": ("model(x).mean().backward()", [0], []),
    "a loss of both reaches both": ("(model(x) + other(x)).mean().backward()", [0, 1], []),
    "a loss that nobody can follow may reach both": ("compute_loss(x).backward()", [], [0, 1]),
}


@pytest.mark.parametrize(("line", "must", "may"), TOUCHED.values(), ids=TOUCHED)
def test_targets(line: str, must: list[int], may: list[int]) -> None:
    program = (
        f"for x in loader:\n    optimizer.step()\n    rival.step()\nfor x in loader:\n    {line}"
    )

    event = events_of(program)[-1]

    assert (list(event.must), list(event.may)) == (must, may)
