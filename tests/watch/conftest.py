"""After every test of the watcher torch must be whole again."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from torch_as_found import torch_as_found

from zerograd.hooks import subscription

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _torch_is_whole_again() -> Iterator[None]:
    if subscription._listeners:
        # An engine of an earlier test, in a cycle: it must not die, and unpatch, during this one.
        gc.collect()
    before = torch_as_found()
    yield
    assert torch_as_found() == before
