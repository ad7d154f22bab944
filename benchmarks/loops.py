"""The hand-written loop and the engine's, as blocks to measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measure import timed
from torch.nn.utils import clip_grad_norm_

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable

    from measure import Block
    from tasks import Task

WARMING = 5
"""Steps of a fresh engine that are not measured: it lays out its accounts in the first."""


def by_hand(make: Callable[[], Task], *, clip: float | None = None) -> Callable[[], Block]:
    """Clear, forward, backward, clip, step."""

    def build() -> Block:
        task = make()
        parameters = list(task.model.parameters())

        def step() -> None:
            task.optimizer.zero_grad()
            task.loss().backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
            if clip is not None:
                clip_grad_norm_(parameters, clip)
            task.optimizer.step()

        return timed(step)

    return build


def by_engine(make: Callable[[], Task], **arguments: Any) -> Callable[[], Block]:
    """Do the same with `zerograd.Gradients`.

    The engine lives only while its own block runs: a living engine listens to torch, which would
    slow down the loop that it is compared with.
    """

    def build() -> Block:
        task = make()
        items = len(task.inputs)

        def block(steps: int) -> float:
            gradients = zerograd.Gradients(task.optimizer, **arguments)
            measured = timed(lambda: gradients.backward(task.loss(), items=items))
            measured(WARMING)
            return measured(steps)

        return block

    return build
