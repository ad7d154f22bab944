"""Surroundings in which plain loops and the engine can be compared on every CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from exactness import clip_without_epsilon

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def exact_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let plain loops clip as the engine does, so that both can be compared bit for bit."""
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", clip_without_epsilon)


@pytest.fixture
def in_fp64() -> Iterator[None]:
    """Let a program that names no dtype compute in fp64."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
