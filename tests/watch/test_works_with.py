"""Watching works beside what people do to models, and says nothing where nothing is wrong."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from zerograd.settings import Settings
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(Settings(preview=True))
    session.start()
    yield session
    session.stop()


def train(model: nn.Module, loss: Callable[[], Tensor], steps: int = 6, lr: float = 0.1) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()  # type: ignore[no-untyped-call]
        optimizer.step()


def nothing_is_found(session: Session) -> bool:
    session.stop()
    return session.findings == [] and session.internal_error is None


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpointing(session: Session, reentrant: bool) -> None:
    model, x = nn.Linear(4, 4), torch.ones(2, 4, requires_grad=True)

    train(model, lambda: checkpoint(model, x, use_reentrant=reentrant).mean())

    assert nothing_is_found(session)


def test_double_backward(session: Session) -> None:
    model, x = nn.Sequential(nn.Linear(4, 4), nn.Tanh()), torch.ones(2, 4, requires_grad=True)

    def penalty() -> Tensor:
        (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
        return slope.square().mean()

    train(model, penalty)

    assert nothing_is_found(session)


def test_functional_gradients(session: Session) -> None:
    model, x = nn.Linear(4, 1), torch.ones(2, 4)
    slopes = torch.func.grad(lambda values: torch.func.functional_call(model, values, (x,)).mean())

    slopes(dict(model.named_parameters()))
    train(model, lambda: model(x).mean())

    assert nothing_is_found(session)


def test_sparse_gradients(session: Session) -> None:
    model = nn.Embedding(10, 3, sparse=True)

    train(model, lambda: model(torch.tensor([1, 2])).square().mean())

    assert nothing_is_found(session)


def test_tied_weights(session: Session) -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    model[1].weight = model[0].weight

    train(model, lambda: model(torch.ones(2, 4)).mean())

    assert nothing_is_found(session)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_precisions(session: Session, dtype: torch.dtype) -> None:
    model = nn.Linear(4, 4, dtype=dtype)

    train(model, lambda: model(torch.ones(2, 4, dtype=dtype)).square().mean())

    assert nothing_is_found(session)


def test_meta_parameters(session: Session) -> None:
    model = nn.Linear(4, 4, device="meta")

    train(model, lambda: model(torch.ones(2, 4, device="meta")).mean())

    assert nothing_is_found(session)


def test_hooks_on_gradients(session: Session) -> None:
    model = nn.Linear(4, 4)
    model.weight.register_hook(lambda gradient: gradient * 0.5)  # type: ignore[no-untyped-call]

    train(model, lambda: model(torch.ones(2, 4)).mean())

    assert nothing_is_found(session)


def test_hooks_of_modules_and_of_accumulation(session: Session) -> None:
    model, x, seen = nn.Linear(4, 4), torch.ones(2, 4, requires_grad=True), []
    model.register_full_backward_hook(lambda *_: seen.append("module"))
    model.weight.register_post_accumulate_grad_hook(lambda _: seen.append("weight"))  # type: ignore[no-untyped-call]

    train(model, lambda: model(x).mean())

    assert (seen.count("module"), seen.count("weight")) == (6, 6)
    assert nothing_is_found(session)


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True:UserWarning")
def test_a_double_backward_into_gradients(session: Session) -> None:
    model, x = nn.Sequential(nn.Linear(4, 4), nn.Tanh()), torch.ones(2, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for _ in range(6):
        optimizer.zero_grad()
        model(x).sum().backward(create_graph=True)
        slopes = [parameter.grad for parameter in model.parameters()]
        norm = torch.stack([slope.square().sum() for slope in slopes if slope is not None])
        optimizer.zero_grad()
        norm.sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    assert nothing_is_found(session)


def test_gradients_of_each_sample(session: Session) -> None:
    model, x = nn.Linear(4, 1), torch.ones(2, 4)
    weights = {name: parameter.detach() for name, parameter in model.named_parameters()}

    def loss(values: dict[str, Tensor], sample: Tensor) -> Tensor:
        predicted: Tensor = torch.func.functional_call(model, values, (sample,))
        return predicted.square().mean()

    torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(weights, x)
    train(model, lambda: model(x).mean())

    assert nothing_is_found(session)


def test_the_state_of_an_optimizer_that_is_loaded_in_mid_run(session: Session) -> None:
    model = nn.Linear(4, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    for step in range(8):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).square().mean().backward()
        optimizer.step()
        if step == 3:
            optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))

    assert nothing_is_found(session)


def test_a_model_and_its_optimizer_copied_together(session: Session) -> None:
    model = nn.Linear(4, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    for step in range(8):
        if step == 4:
            model, optimizer = copy.deepcopy((model, optimizer))
        optimizer.zero_grad()
        model(torch.ones(2, 4)).square().mean().backward()
        optimizer.step()

    assert nothing_is_found(session)


def test_a_copy_that_is_never_cleared_is_found(session: Session) -> None:
    model = nn.Linear(4, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model, optimizer = copy.deepcopy((model, optimizer))

    for _ in range(4):
        model(torch.ones(2, 4)).square().mean().backward()
        optimizer.step()
    session.stop()

    assert [finding.rule.name for finding in session.findings] == ["missing-zero"]


def test_a_state_that_is_loaded_in_mid_run(session: Session) -> None:
    model = nn.Linear(4, 4)
    saved = copy.deepcopy(model.state_dict())

    train(model, lambda: model(torch.ones(2, 4)).square().mean())
    model.load_state_dict(saved)
    train(model, lambda: model(torch.ones(2, 4)).square().mean())

    assert nothing_is_found(session)


def test_copies_of_a_model_and_its_optimizer(session: Session) -> None:
    model = nn.Linear(4, 4)
    train(model, lambda: model(torch.ones(2, 4)).square().mean())

    twin = copy.deepcopy(model)
    twin.zero_grad()
    train(twin, lambda: twin(torch.ones(2, 4)).square().mean())

    assert nothing_is_found(session)


def test_an_exception_in_backward_that_the_script_catches(session: Session) -> None:
    model, x = nn.Linear(4, 1), torch.ones(2, 4)
    loss = model(x).square().mean()
    loss.backward()

    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()
    train(model, lambda: model(x).square().mean())

    assert nothing_is_found(session)


def test_an_exception_in_a_closure_that_the_script_catches(session: Session) -> None:
    model, x = nn.Linear(4, 1), torch.ones(2, 4)
    optimizer = torch.optim.LBFGS(model.parameters())

    def fails() -> float:
        raise ValueError("no data")

    with pytest.raises(ValueError, match="no data"):
        optimizer.step(fails)  # type: ignore[no-untyped-call]
    train(model, lambda: model(x).square().mean())

    assert nothing_is_found(session)
