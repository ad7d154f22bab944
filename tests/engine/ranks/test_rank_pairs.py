"""Two engines over ranks keep apart what each has deposited, wherever its wrapper keeps it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from rank_cases import ROUND_OFF
from rank_pairs import by_engines
from rank_runs import on_ranks

PAIRS: dict[str, tuple[str, dict[str, Any]]] = {
    "ddp": ("ddp", {}),
    "ddp in place": ("ddp", {"clear": "zero"}),
    "ddp in buckets": ("ddp", {"gradient_as_bucket_view": True}),
    "fsdp on private tensors": ("fsdp", {}),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_generator_learns_through_an_open_window_of_its_discriminator(pair: str) -> None:
    kind, options = PAIRS[pair]

    for sentence, error, same in on_ranks(2, partial(by_engines, kind, **options)):
        assert sentence == "nothing"
        assert error < ROUND_OFF
        assert same
