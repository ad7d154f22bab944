"""After every test here torch is as it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from torch_patches import patched_places

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def torch_is_whole() -> Iterator[None]:
    """Fail a test that leaves anything of ours installed."""
    before = patched_places()

    yield

    assert patched_places() == before
