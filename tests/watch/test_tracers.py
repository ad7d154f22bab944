"""What traces, transforms or measures a module gives the same under watch as without it."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable


class Parts(nn.Module):
    """A module with submodules of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.second = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.second(self.first(x))
        return out


def jit_trace(model: nn.Module, x: torch.Tensor) -> object:
    return torch.jit.trace(model, x).code  # type: ignore[no-untyped-call]


def jit_trace_module(model: nn.Module, x: torch.Tensor) -> object:
    return torch.jit.trace_module(model, {"forward": x}).code  # type: ignore[no-untyped-call]


def export(model: nn.Module, x: torch.Tensor) -> object:
    return str(torch.export.export(model, (x,)).graph)


def fx_symbolic_trace(model: nn.Module, x: torch.Tensor) -> object:
    del x
    return torch.fx.symbolic_trace(model).code


def proxy_tensors(model: nn.Module, x: torch.Tensor) -> object:
    return make_fx(model)(x).code


def functional_gradient(model: nn.Module, x: torch.Tensor) -> object:
    def loss(parameters: dict[str, torch.Tensor]) -> torch.Tensor:
        out: torch.Tensor = torch.func.functional_call(model, parameters, (x,))
        return out.square().mean()

    return numbers(torch.func.grad(loss)(dict(model.named_parameters())))


def functional_jacobians(model: nn.Module, x: torch.Tensor) -> object:
    return numbers(
        (
            torch.func.vmap(model)(x),
            torch.func.jacrev(model)(x),
            torch.func.jvp(model, (x,), (x,)),
            torch.func.hessian(lambda one: model(one).square().sum())(x[0]),
        )
    )


def profiler(model: nn.Module, x: torch.Tensor) -> object:
    with torch.profiler.profile(with_modules=True) as profile:
        model(x).sum().backward()
    return sorted((event.key, event.count) for event in profile.key_averages())


def flop_counter(model: nn.Module, x: torch.Tensor) -> object:
    with FlopCounterMode(display=False) as flops:
        model(x).sum().backward()
    return str(flops.get_flop_counts())


def numbers(tree: Any) -> object:
    """Return the tensors of a tree as lists."""
    return torch.utils._pytree.tree_map(lambda leaf: leaf.tolist(), tree)


TRACERS: list[Callable[[nn.Module, torch.Tensor], object]] = [
    jit_trace,
    jit_trace_module,
    export,
    fx_symbolic_trace,
    proxy_tensors,
    functional_gradient,
    functional_jacobians,
    profiler,
    flop_counter,
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("trace", TRACERS, ids=lambda trace: trace.__name__)
def test_a_tracer_gives_the_same_under_watch(
    trace: Callable[[nn.Module, torch.Tensor], object],
) -> None:
    torch.manual_seed(0)
    model, x, session = Parts(), torch.randn(3, 4), Session()
    bare = trace(deepcopy(model), x)

    session.start()
    watched = trace(deepcopy(model), x)
    session.stop()

    assert watched == bare
    assert session.internal_error is None
