"""Run an engine's own backward: every listener hears it, except those for foreign backwards."""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING, Any

import torch

from zerograd.hooks import channels
from zerograd.hooks.torch_parts import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor


_own = local()
_run_backward: Any = find("torch.autograd.graph._engine_run_backward")


def is_an_engines_own() -> bool:
    """Whether the backward under way is an engine's, which normalises its windows itself."""
    return getattr(_own, "running", False)


@contextmanager
def _an_engines_own() -> Iterator[None]:
    _own.running = True
    try:
        yield
    finally:
        _own.running = False


def own_backward(
    loss: Tensor,
    seed: Tensor,
    retain_graph: bool | None,
    create_graph: bool,
    inputs: Sequence[Tensor] = (),
) -> None:
    """Do what `loss.backward(seed)` does.

    An ordinary scalar needs none of the questions that `Tensor.backward` asks on the way, and
    they cost a tiny model 5 % of its step; everything else is asked them.
    """
    heard = channels.backward_begins.callbacks
    if type(loss) is not torch.Tensor or heard or _run_backward is None:
        with _an_engines_own():
            loss.backward(seed, retain_graph, create_graph, list(inputs) or None)  # type: ignore[no-untyped-call]
        return
    _run_backward(
        (loss,),
        (seed,),
        create_graph if retain_graph is None else retain_graph,
        create_graph,
        tuple(inputs),
        allow_unreachable=True,
        accumulate_grad=True,
    )
