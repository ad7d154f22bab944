"""What a torch does not show is told of, and not passed over."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import torch

from zerograd.hooks import torch_parts
from zerograd.hooks.saved_values import shape_into

if TYPE_CHECKING:
    import pytest


def test_a_node_that_shows_no_shapes_costs_its_rule_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch_parts, "_unheard", set())
    node = SimpleNamespace(next_functions=((SimpleNamespace(), 0),))

    shape = shape_into(node)

    assert shape is None
    assert torch_parts.unheard() == ["unequal-micro-batches"]


def test_the_nodes_of_this_torch_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_parts, "_unheard", set())
    loss = torch.ones(3, 2, requires_grad=True).mean()

    shape = shape_into(loss.grad_fn)

    assert shape == (3, 2)
    assert torch_parts.unheard() == []
