"""Engines of different threads leave each other alone, whichever thread built them."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from engine_cases import mlp, same, square
from torch import nn, optim

import zerograd
from zerograd.engine import engine_index
from zerograd.errors import LifecycleError

ROUNDS = 60


def train(gradients: zerograd.Gradients, model: nn.Module, barrier: threading.Barrier) -> None:
    barrier.wait()
    for seed in range(ROUNDS):
        gradients.backward(square(model, 1 + seed % 5, seed), items=1 + seed % 5)


@pytest.mark.parametrize("check", ["auto", "off"])
@pytest.mark.parametrize("clear", ["none", "zero"])
def test_engines_built_here_train_in_threads_as_they_train_alone(check: str, clear: str) -> None:
    alone = [mlp(seed=seed) for seed in range(4)]
    threaded = [mlp(seed=seed) for seed in range(4)]
    for model in alone:
        train(build(model, check, clear), model, threading.Barrier(1))
    engines = [build(model, check, clear) for model in threaded]
    barrier = threading.Barrier(len(threaded))

    with ThreadPoolExecutor(len(threaded)) as pool:
        running = [
            pool.submit(train, engine, model, barrier)
            for engine, model in zip(engines, threaded, strict=True)
        ]
        for one in running:
            one.result()

    assert all(map(same, alone, threaded))


def build(model: nn.Module, check: str, clear: str) -> zerograd.Gradients:
    optimizer = optim.SGD(model.parameters(), lr=0.05)
    return zerograd.Gradients(optimizer, accumulate=3, check=check, clear=clear)


def in_a_thread(call: Any) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def test_two_engines_that_share_a_graph_are_kept_apart_in_a_thread_of_their_own() -> None:
    torch.manual_seed(3)
    generator, critic = nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False)
    first = zerograd.Gradients(optim.SGD(generator.parameters(), lr=1.0), accumulate=2)
    second = zerograd.Gradients(optim.SGD(critic.parameters(), lr=1.0), accumulate=2)

    def run() -> tuple[torch.Tensor, torch.Tensor]:
        fake = generator(torch.ones(1, 2))
        second.backward(critic(fake.detach()).sum())
        alone = critic.weight.grad.clone()  # type: ignore[union-attr]
        first.backward(critic(fake).sum())
        return alone, critic.weight.grad.clone()  # type: ignore[union-attr]

    before, after = in_a_thread(run)

    assert torch.equal(before, after)
    first.discard()
    second.discard()


def test_a_deposit_of_another_threads_engine_is_not_spent() -> None:
    torch.manual_seed(3)
    generator, critic = nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False)
    first = zerograd.Gradients(optim.SGD(generator.parameters(), lr=1.0))
    second = zerograd.Gradients(optim.SGD(critic.parameters(), lr=1.0))
    before = critic.weight.detach().clone()

    in_a_thread(lambda: first.backward(critic(generator(torch.ones(1, 2))).sum()))
    second.backward(critic(torch.ones(1, 2)).sum())

    assert torch.equal(critic.weight, before - 1)


def test_an_engine_may_be_used_by_one_thread_after_another() -> None:
    plain, owned = mlp(), mlp()
    alone = zerograd.Gradients(optim.SGD(plain.parameters(), lr=0.1), accumulate=2)
    gradients = zerograd.Gradients(optim.SGD(owned.parameters(), lr=0.1), accumulate=2)

    for seed in range(4):
        alone.backward(square(plain, 3, seed))
        in_a_thread(lambda seed=seed: gradients.backward(square(owned, 3, seed)))

    assert same(plain, owned)


def test_two_threads_in_one_engine_at_once_are_refused() -> None:
    weight = nn.Parameter(torch.zeros(1))
    inside, leave = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        inside.set()
        leave.wait(60)

    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), on_step=wait)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: gradients.backward(weight.sum()))
        inside.wait(60)
        with pytest.raises(LifecycleError) as refused:
            gradients.backward(weight.sum())
        leave.set()
        step = running.result()

    assert str(refused.value) == (
        "another thread is inside this engine at this moment; let one thread call it at a time, or "
        "give each thread a model and an engine of its own"
    )
    assert step
    assert weight.item() == -1.0


def test_an_open_window_of_another_thread_is_no_leak_of_these_batches() -> None:
    mine, other = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(optim.SGD([mine], lr=1.0))
    elsewhere = zerograd.Gradients(optim.SGD([other], lr=1.0), accumulate=2)

    for _ in gradients.batches(range(1)):
        gradients.backward(mine.sum())
        in_a_thread(lambda: elsewhere.backward(other.sum()))

    assert gradients.steps == 1
    elsewhere.discard()


def test_a_step_of_its_own_hook_is_no_second_thread() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0), on_step=lambda _: gradients.state_dict()
    )

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(weight.sum())

    assert "another thread" not in str(refused.value)


def test_engines_that_come_and_go_in_threads_leave_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = [nn.Parameter(torch.zeros(1)) for _ in range(3000)]
    living = zerograd.Gradients(optim.SGD(many, lr=1.0))
    ignored: list[Any] = []
    monkeypatch.setattr(sys, "excepthook", lambda *error: ignored.append(error[1]))
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def come_and_go() -> None:
        for _ in range(60):
            weight = nn.Parameter(torch.zeros(1))
            zerograd.Gradients(optim.SGD([weight], lr=1.0)).backward(weight.sum())

    try:
        with ThreadPoolExecutor(4) as pool:
            for one in [pool.submit(come_and_go) for _ in range(4)]:
                one.result()
    finally:
        sys.setswitchinterval(interval)

    assert ignored == []
    assert engine_index.living == [living._keeper.books]
    assert engine_index.by_parameter.keys() == set(map(id, many))
