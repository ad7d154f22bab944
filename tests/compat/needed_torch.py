"""Marks for tests of what only a newer torch can do; the compatibility table counts them."""

from __future__ import annotations

import pytest
import torch

from zerograd.hooks.torch_parts import PARTS

SINCE = {part.name: part.since for part in PARTS}

WIDE_SUMS = pytest.mark.skipif(
    not hasattr(torch.Tensor, "grad_dtype"),
    reason=f"accumulate_dtype= needs torch {SINCE['grad_dtype']}",
)
