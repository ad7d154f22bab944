"""A sample is read where it lay before, and only where it can be told what lies there."""

from __future__ import annotations

import torch

from zerograd.watch.gradients.values import is_zero, peek, sample, spot


def looked_at(parameter: torch.Tensor, gradient: torch.Tensor) -> tuple[int, ...] | None:
    """Look once with care, and then where both lay."""
    sample(parameter)
    is_zero(gradient)
    at = spot(parameter)
    assert at is not None
    return peek(at, parameter, gradient)


def test_a_parameter_is_sampled_where_it_lay() -> None:
    parameter, gradient = torch.arange(3.0), torch.ones(3)

    assert looked_at(parameter, gradient) == sample(parameter)


def test_a_gradient_of_zeros_is_left_to_a_closer_look() -> None:
    assert looked_at(torch.arange(3.0), torch.zeros(3)) is None


def test_a_gradient_of_another_type_is_left_to_a_closer_look() -> None:
    parameter, gradient = torch.arange(3.0), torch.ones(3)
    at = spot(parameter)
    assert at is not None
    sample(parameter)
    is_zero(gradient)  # a window to these bytes as floats

    assert peek(at, parameter, gradient.view(torch.bfloat16)) is None
    assert peek(at, parameter, gradient) is not None


def test_a_parameter_that_lies_elsewhere_is_left_to_a_closer_look() -> None:
    parameter, moved = torch.arange(3.0), torch.arange(3.0)
    sample(parameter)
    at = spot(parameter)
    assert at is not None

    assert peek(at, moved, torch.ones(3)) is None
