"""However a gradient is cleared, watching sees that it is; and what only looks like it, is not."""

from __future__ import annotations

import ctypes
import gc
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn
from torch.utils.dlpack import from_dlpack

from zerograd.settings import Settings
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor
    from torch.optim import Optimizer

    Kind = Callable[[nn.Module, Optimizer], object]


def each(clear: Callable[[Tensor], object]) -> Kind:
    """Return a kind that treats one parameter after the other."""

    def kind(model: nn.Module, _: Optimizer) -> None:
        for parameter in model.parameters():
            clear(parameter)

    return kind


def gradient(clear: Callable[[Tensor], object]) -> Kind:
    """Return a kind that treats one gradient after the other."""

    def treat(parameter: Tensor) -> None:
        assert parameter.grad is not None
        clear(parameter.grad)

    return each(treat)


def gradients(model: nn.Module) -> list[Tensor]:
    return [parameter.grad for parameter in model.parameters() if parameter.grad is not None]


def assign(name: str, value: Callable[[Tensor], object]) -> Callable[[Tensor], None]:
    return lambda tensor: setattr(tensor, name, value(tensor))


def overwrite(tensor: Tensor) -> None:
    tensor[:] = 0


def memset(tensor: Tensor) -> None:
    ctypes.memset(tensor.data_ptr(), 0, tensor.nbytes)


CLEARS: dict[str, Kind] = {
    "optimizer.zero_grad()": lambda _, optimizer: optimizer.zero_grad(),
    "optimizer.zero_grad(False)": lambda _, optimizer: optimizer.zero_grad(set_to_none=False),
    "model.zero_grad()": lambda model, _: model.zero_grad(),
    "model.zero_grad(False)": lambda model, _: model.zero_grad(set_to_none=False),
    "p.grad = None": each(assign("grad", lambda _: None)),
    "del p.grad": each(lambda parameter: delattr(parameter, "grad")),
    "p.grad = zeros": each(assign("grad", torch.zeros_like)),
    "zero_": gradient(lambda g: g.zero_()),
    "fill_": gradient(lambda g: g.fill_(0)),
    "mul_": gradient(lambda g: g.mul_(0)),
    "sub_": gradient(lambda g: g.sub_(g)),
    "clamp_": gradient(lambda g: g.clamp_(0, 0)),
    "copy_": gradient(lambda g: g.copy_(torch.zeros_like(g))),
    "set_": gradient(lambda g: g.set_(torch.zeros_like(g))),  # type: ignore[call-overload]  # in the docs
    "[:] = 0": gradient(overwrite),
    "masked_fill_": gradient(lambda g: g.masked_fill_(torch.ones_like(g, dtype=torch.bool), 0)),
    "init.zeros_": gradient(nn.init.zeros_),
    "view().zero_": gradient(lambda g: g.view(-1).zero_()),
    "detach().zero_": gradient(lambda g: g.detach().zero_()),
    "detach_().zero_": gradient(lambda g: g.detach_().zero_()),
    "_foreach_zero_": lambda model, _: torch._foreach_zero_(gradients(model)),
    "_foreach_mul_": lambda model, _: torch._foreach_mul_(gradients(model), 0.0),
    "data.zero_": gradient(lambda g: g.data.zero_()),
    "data = zeros": gradient(assign("data", torch.zeros_like)),
    "numpy": gradient(lambda g: g.numpy().fill(0)),
    "dlpack": gradient(lambda g: from_dlpack(g.detach()).zero_()),
    "storage": gradient(lambda g: g.untyped_storage().fill_(0)),  # type: ignore[attr-defined]  # it has
    "memset": gradient(memset),
}

OTHER = nn.Linear(4, 2)

NO_CLEARS: dict[str, Kind] = {
    "nothing": lambda *_: None,
    "a copy": gradient(lambda g: g.clone().zero_()),
    "a double": gradient(lambda g: g.double().zero_()),
    "another model": lambda *_: OTHER.zero_grad(),
    "one of two": lambda model, _: setattr(next(model.parameters()), "grad", None),
    "optimizer.state": lambda _, optimizer: optimizer.state.clear(),
    "its own state": lambda _, optimizer: optimizer.load_state_dict(optimizer.state_dict()),
    "eval and train": lambda model, _: model.eval().train(),
    "clip at infinity": lambda model, _: nn.utils.clip_grad_norm_(model.parameters(), torch.inf),
    "gc": lambda *_: gc.collect(),
}


def rules_found(kind: Kind) -> list[str]:
    """Return what is found in a loop long enough that watching has become calm."""
    torch.manual_seed(0)
    session = Session(Settings(preview=True))
    session.start()
    try:
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(16):
            model(torch.randn(3, 4)).square().mean().backward()
            optimizer.step()
            kind(model, optimizer)
    finally:
        session.stop()
    assert session.internal_error is None
    return [finding.rule.name for finding in session.findings]


def test_the_table_is_as_long_as_was_measured() -> None:
    assert (len(CLEARS), len(NO_CLEARS)) == (28, 10)


@pytest.mark.parametrize("name", CLEARS)
def test_a_clear_of_any_kind_is_one(name: str) -> None:
    assert rules_found(CLEARS[name]) == []


@pytest.mark.parametrize("name", NO_CLEARS)
def test_what_only_looks_like_a_clear_is_none(name: str) -> None:
    assert rules_found(NO_CLEARS[name]) == ["missing-zero"]
