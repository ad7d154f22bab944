"""What others do to an engine's accounts is refused, with the rule's code and both lines."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from engine_cases import mlp, same, square
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_, clip_grad_value_
from torch.utils.checkpoint import checkpoint

import zerograd
from zerograd.errors import LifecycleError

HERE = "tests/engine/test_interference.py"


def opened(**options: Any) -> tuple[nn.Sequential, optim.Optimizer, zerograd.Gradients]:
    model = mlp()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, accumulate=4, **options)
    gradients.backward(square(model, 3, 0))
    return model, optimizer, gradients


def test_a_foreign_step_in_mid_window_is_refused_with_both_lines() -> None:
    _, optimizer, gradients = opened()

    with pytest.raises(LifecycleError) as refused:
        optimizer.step()

    error = refused.value
    assert error.code == "ZG302"
    assert [line.rsplit(":", 1)[0].endswith("test_interference.py") for line in error.lines] == [
        True,
        True,
    ]
    assert str(error).startswith(
        "ZG302 spent-twice: SGD.step() spends an open window of this optimizer's engine at "
    )
    assert str(error).endswith("; let the engine step: gradients.step()")
    gradients.discard()


def test_a_foreign_step_of_a_closed_engine_is_refused_too() -> None:
    model = mlp()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer)
    gradients.backward(square(model, 3, 0))

    with pytest.raises(LifecycleError) as refused:
        optimizer.step()

    assert refused.value.code == "ZG301"
    assert "remove it, gradients.backward() steps" in str(refused.value)


def test_another_optimizers_step_is_nobodys_business() -> None:
    _, _, gradients = opened()
    other = mlp(seed=1)
    optimizer = optim.SGD(other.parameters(), lr=0.1)
    square(other, 3, 0).backward()  # type: ignore[no-untyped-call]

    optimizer.step()
    optimizer.zero_grad()
    clip_grad_norm_(other.parameters(), 1.0)

    assert gradients.step().micro_batches == 1


@pytest.mark.parametrize("owner", ["optimizer", "module", "layer"])
def test_zero_grad_in_mid_window_is_refused_at_the_call(owner: str) -> None:
    model, optimizer, gradients = opened()
    before = model[0].weight.grad.clone()  # type: ignore[union-attr, operator]
    zeroed: Any = {"optimizer": optimizer, "module": model, "layer": model[0]}[owner]

    with pytest.raises(LifecycleError) as refused:
        zeroed.zero_grad()

    assert refused.value.code == "ZG103"
    assert "zero_grad() throws away 1 deposit of an open window at " in str(refused.value)
    assert torch.equal(model[0].weight.grad, before)  # type: ignore[arg-type]
    gradients.discard()


def test_zero_grad_between_windows_is_harmless() -> None:
    model, optimizer, gradients = opened()
    gradients.step()

    optimizer.zero_grad()
    model.zero_grad(set_to_none=False)
    step = gradients.backward(square(model, 3, 1))

    assert step is None
    gradients.discard()


@pytest.mark.parametrize("set_to_none", [True, False])
def test_zero_grad_between_windows_leaves_kept_buffers_in_use(set_to_none: bool) -> None:
    model, optimizer, gradients = opened(clear="zero")
    gradients.step()
    buffer = model[0].weight.grad

    optimizer.zero_grad(set_to_none=set_to_none)
    gradients.backward(square(model, 3, 1))

    assert model[0].weight.grad is buffer
    gradients.discard()


@pytest.mark.parametrize("clip", [clip_grad_norm_, clip_grad_value_])
def test_a_clip_in_mid_window_is_refused_also_by_a_name_imported_before(clip: Any) -> None:
    model, _, gradients = opened()

    with pytest.raises(LifecycleError) as refused:
        clip(model.parameters(), 1.0)

    assert refused.value.code == "ZG404"
    assert "pass clip_norm= to Gradients" in str(refused.value)
    gradients.discard()


def test_measuring_a_norm_in_mid_window_is_no_clip() -> None:
    model, _, gradients = opened()

    norm = clip_grad_norm_(model.parameters(), float("inf"))

    assert norm > 0
    gradients.discard()


@pytest.mark.parametrize("clear", ["none", "zero"])
def test_a_clip_after_the_engines_step_is_refused(clear: str) -> None:
    model, _, gradients = opened(clear=clear)
    gradients.step()

    with pytest.raises(LifecycleError) as refused:
        clip_grad_norm_(model.parameters(), 1.0)

    assert str(refused.value).startswith(
        "ZG401 clip-after-step: the engine has stepped and cleared, so there is nothing left to "
        "clip at "
    )
    assert str(refused.value).endswith(
        "; remove it and pass clip_norm= to Gradients, which clips before it steps"
    )


def test_a_clip_that_finds_gradients_of_others_is_legal() -> None:
    model, _, gradients = opened()
    gradients.step()
    other = mlp(seed=1)
    square(other, 3, 0).backward()  # type: ignore[no-untyped-call]

    norm = clip_grad_norm_([*model.parameters(), *other.parameters()], 1.0)

    assert norm > 0


def test_a_clip_of_a_foreign_backward_between_windows_is_legal() -> None:
    model, _, gradients = opened()
    gradients.step()
    square(model, 3, 0).backward()  # type: ignore[no-untyped-call]

    norm = clip_grad_norm_(model.parameters(), 1.0)

    assert norm > 0


def test_a_clip_before_the_engines_first_deposit_is_let_through() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))

    clip_grad_norm_(model.parameters(), 1.0)

    assert gradients.steps == 0


def test_a_foreign_backward_into_an_open_account_is_refused_right_after_it() -> None:
    model, _, gradients = opened()

    with pytest.raises(LifecycleError) as refused:
        square(model, 3, 1).backward()  # type: ignore[no-untyped-call]

    assert refused.value.code == "ZG104"
    assert "a backward that is not the engine's deposited into parameter 0 of SGD" in str(
        refused.value
    )
    gradients.discard()


def test_an_unrelated_models_backward_is_legal() -> None:
    _, _, gradients = opened()

    square(mlp(seed=1), 3, 1).backward()  # type: ignore[no-untyped-call]

    assert gradients.step().micro_batches == 1


def test_a_backward_inside_a_backward_does_not_hide_the_outer_one() -> None:
    model, _, gradients = opened()
    inputs = torch.ones(1, 3, requires_grad=True)
    outer = square(model, 3, 1) + checkpoint(nn.Linear(3, 1), inputs, use_reentrant=True).sum()

    with pytest.raises(LifecycleError, match="ZG104 leaked-deposit"):
        outer.backward()

    gradients.discard()


def test_what_a_foreign_backward_left_before_a_window_is_cleared() -> None:
    plain, owned = mlp(), mlp()
    optimizer = optim.SGD(plain.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optim.SGD(owned.parameters(), lr=0.1))
    square(plain, 3, 1).backward()  # type: ignore[no-untyped-call]
    optimizer.step()

    square(owned, 5, 7).backward()  # type: ignore[no-untyped-call]
    gradients.backward(square(owned, 3, 1))

    assert same(plain, owned)


def test_what_was_written_before_a_window_is_refused() -> None:
    model, _, gradients = opened()
    gradients.step()
    model[0].bias.grad = torch.ones(5)

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(square(model, 3, 1))

    assert refused.value.code == "ZG104"
    assert ".grad of parameter 1 of SGD, shape (5,) was written by hand before" in str(
        refused.value
    )


def test_a_write_before_a_window_can_be_allowed() -> None:
    model, _, gradients = opened()
    gradients.step()
    model[0].bias.grad = torch.ones(5)

    with zerograd.allow("leaked-deposit"):
        gradients.backward(square(model, 3, 1))

    assert gradients.step().micro_batches == 1


WRITES: dict[str, Any] = {
    "none": lambda _: None,
    "another": lambda grad: grad.clone(),
    "in place": lambda grad: grad.mul_(2),
}


@pytest.mark.parametrize(
    ("write", "code"), [("none", "ZG103"), ("another", "ZG104"), ("in place", "ZG104")]
)
def test_a_write_in_mid_window_is_noticed_at_the_next_call(write: str, code: str) -> None:
    model, _, gradients = opened()
    model[0].weight.grad = WRITES[write](model[0].weight.grad)

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(square(model, 3, 1))

    assert refused.value.code == code
    assert "in mid-window, noticed at" in str(refused.value)
    gradients.discard()


@pytest.mark.parametrize(
    ("write", "raises"), [("none", True), ("another", True), ("in place", False)]
)
def test_check_step_goes_by_identity_at_the_close(write: str, raises: bool) -> None:
    model, _, gradients = opened(check="step")
    model[0].weight.grad = WRITES[write](model[0].weight.grad)
    gradients.backward(square(model, 3, 1))

    noticed = None
    try:
        gradients.step()
    except LifecycleError as error:
        noticed = error.code
        gradients.discard()

    assert bool(noticed) is raises


@pytest.mark.parametrize(("write", "raises"), [("another", True), ("in place", False)])
def test_check_step_looks_before_the_backward_that_closes(write: str, raises: bool) -> None:
    model = mlp()
    gradients = zerograd.Gradients(
        optim.SGD(model.parameters(), lr=0.1), accumulate=3, check="step"
    )
    gradients.backward(square(model, 3, 0))
    model[0].weight.grad = WRITES[write](model[0].weight.grad)
    gradients.backward(square(model, 3, 1))

    noticed = None
    try:
        gradients.backward(square(model, 3, 2))
    except LifecycleError as error:
        noticed = error.code
        gradients.discard()

    assert bool(noticed) is raises


def test_check_step_lets_hooks_replace_what_they_are_called_for() -> None:
    model = mlp()
    hook = model[0].weight.register_post_accumulate_grad_hook(masked)  # type: ignore[operator]
    gradients = zerograd.Gradients(
        optim.SGD(model.parameters(), lr=0.1), accumulate=2, check="step"
    )

    steps = [gradients.backward(square(model, 3, seed)) for seed in range(2)]
    hook.remove()

    assert steps[1]


def masked(parameter: torch.Tensor) -> None:
    assert parameter.grad is not None
    parameter.grad = parameter.grad * torch.ones_like(parameter.grad)


def test_check_step_lets_torch_replace_a_sparse_gradient_by_a_dense_one() -> None:
    embedding = nn.Embedding(5, 3, sparse=True)
    gradients = zerograd.Gradients(
        optim.SGD(embedding.parameters(), lr=0.1), accumulate=2, check="step"
    )

    gradients.backward(embedding(torch.tensor([1, 2])).sum())
    step = gradients.backward(embedding.weight.square().sum())

    assert step


@pytest.mark.parametrize("check", ["micro-batch", "step"])
@pytest.mark.parametrize("accumulate", [2, 3])
def test_a_write_after_the_last_backward_of_a_loader_is_noticed(
    check: str, accumulate: int
) -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1), accumulate=4, check=check)

    def passed() -> None:
        for seed in gradients.batches(range(accumulate)):
            if seed == accumulate - 1:
                model[0].weight.grad = None
                continue
            gradients.backward(square(model, 3, seed))

    with pytest.raises(LifecycleError, match="was cleared in mid-window"):
        passed()
    gradients.discard()


def test_a_write_after_a_break_is_noticed_by_the_next_batches() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1), accumulate=4)
    for seed in gradients.batches(range(8)):
        gradients.backward(square(model, 3, seed))
        if seed == 1:
            break
    model[0].weight.grad = None

    with pytest.raises(LifecycleError, match="was cleared in mid-window"):
        next(iter(gradients.batches(range(8))))
    gradients.discard()


def test_check_off_looks_at_nothing() -> None:
    model, _, gradients = opened(check="off")
    model[0].weight.grad = None

    gradients.backward(square(model, 3, 1))

    assert gradients.step()


def test_an_allowed_clear_is_let_through() -> None:
    model, _, gradients = opened(check="off")

    with zerograd.allow("zero-inside-window"):
        model.zero_grad()

    assert model[0].weight.grad is None
    gradients.discard()


def test_an_allowed_backward_in_mid_window_stays_allowed() -> None:
    model, _, gradients = opened()

    with zerograd.allow("leaked-deposit"):
        square(model, 3, 1).backward()  # type: ignore[no-untyped-call]
    gradients.backward(square(model, 3, 2))

    assert gradients.step().micro_batches == 2


@pytest.mark.parametrize("check", ["micro-batch", "step"])
def test_an_allowed_clear_in_mid_window_stays_allowed(check: str) -> None:
    model, _, gradients = opened(check=check)

    with zerograd.allow("zero-inside-window"):
        model.zero_grad()
    gradients.backward(square(model, 3, 2))

    assert gradients.step().micro_batches == 2


def test_a_write_after_an_allowed_move_and_a_deposit_is_noticed_again() -> None:
    model, _, gradients = opened()
    with zerograd.allow("leaked-deposit"):
        square(model, 3, 1).backward()  # type: ignore[no-untyped-call]
    gradients.backward(square(model, 3, 2))
    model[0].weight.grad.mul_(2)  # type: ignore[union-attr, operator]

    with pytest.raises(LifecycleError, match="ZG104 leaked-deposit"):
        gradients.step()

    gradients.discard()


def test_a_parameter_in_two_engines_is_refused() -> None:
    model, _, gradients = opened()

    with pytest.raises(LifecycleError) as refused:
        zerograd.Gradients(optim.SGD(model[0].parameters()))

    assert str(refused.value).startswith(
        "ZG307 shared-parameter: parameter 0 of SGD, shape (5, 3) belongs to another engine whose "
        "window is open, last deposited at "
    )
    gradients.discard()


def test_a_parameter_that_joins_a_second_engine_is_refused() -> None:
    model = mlp()
    first = zerograd.Gradients(optim.SGD(model[0].parameters()))
    optimizer = optim.SGD(model[2].parameters())
    second = zerograd.Gradients(optimizer)
    optimizer.add_param_group({"params": [model[0].weight]})

    for _ in range(2):
        with pytest.raises(LifecycleError) as refused:
            second.backward(square(model, 3, 0))

        assert str(refused.value) == (
            "ZG307 shared-parameter: parameter 2 of SGD, shape (5, 3) already belongs to another "
            "engine; give both optimizers to one: zerograd.Gradients([first, second])"
        )
    assert (first.steps, second.steps) == (0, 0)


def test_a_parameter_in_two_optimizers_of_one_engine_is_refused() -> None:
    model = mlp()

    with pytest.raises(LifecycleError, match="ZG307 shared-parameter: two optimizers of this"):
        zerograd.Gradients([optim.SGD(model.parameters()), optim.Adam(model[0].parameters())])


def test_an_added_parameter_group_is_followed() -> None:
    first, second = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    optimizer = optim.SGD([first], lr=1.0)
    gradients = zerograd.Gradients(optimizer, accumulate=2)

    gradients.backward(first.sum())
    optimizer.add_param_group({"params": [second]})
    gradients.backward(first.sum() + second.sum())

    assert (first.item(), second.item()) == (-1.0, -0.5)


def test_a_loss_that_does_not_reach_the_optimizer_is_refused() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(square(mlp(seed=1), 3, 0))

    assert str(refused.value) == (
        "ZG305 dead-parameter: the loss does not reach this optimizer: its backward deposited "
        "nothing into any of its 4 parameters; compute the loss from the model that SGD was "
        "built over, without detach()"
    )


def test_a_loss_that_contradicts_its_graph_is_refused() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))
    loss = nn.functional.mse_loss(model(torch.ones(4, 3)), torch.ones(4, 2), reduction="sum")

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(loss, items=4)

    assert str(refused.value) == (
        "ZG204 wrong-divisor: this loss is a sum, and the engine was told that it is a mean; "
        "write Gradients(..., reduction='sum')"
    )


def test_step_with_nothing_to_spend_is_refused() -> None:
    gradients = zerograd.Gradients(optim.SGD(mlp().parameters()), accumulate=None)

    with pytest.raises(LifecycleError, match="ZG301 step-without-backward: step"):
        gradients.step()
