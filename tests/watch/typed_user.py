"""What a type checker makes of `zerograd.watch`; `make types` reads it, nothing runs it."""

from __future__ import annotations

from typing import assert_type

import zerograd
from zerograd import watch
from zerograd.findings import Finding
from zerograd.watch.api.watching import Watching


def as_a_line() -> None:
    watching = zerograd.watch(select=["missing-zero"], hints=True)
    assert_type(watching, Watching)
    assert_type(watching.findings, list[Finding])
    watching.stop()


def as_a_block() -> None:
    with watch(preview=True) as watching:
        assert_type(watching, Watching)


@zerograd.watch(strict=True)
def as_a_decorator(steps: int) -> str:
    return str(steps)


assert_type(as_a_decorator(3), str)
zerograd.watch(hint=True)  # type: ignore[call-arg]  # a misspelt option is noticed
