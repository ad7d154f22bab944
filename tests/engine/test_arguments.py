"""Arguments that cannot be used are refused at construction, with the reason."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from engine_cases import mlp, square
from needed_torch import WIDE_SUMS
from torch import nn, optim
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR

import zerograd
from zerograd.errors import ArgumentError, LifecycleError, ZerogradError


def refused(optimizers: Any = None, **options: Any) -> str:
    optimizers = optimizers or optim.SGD(mlp().parameters(), lr=0.1)
    with pytest.raises(ArgumentError) as error:
        zerograd.Gradients(optimizers, **options)
    return str(error.value)


WORDS = [
    ("reduction", "avg", "reduction is one of 'mean', 'sum', got 'avg'"),
    (
        "tail",
        "steps",
        "tail is one of 'step', 'carry', 'drop', 'error', got 'steps'; did you mean 'step'?",
    ),
    ("sync", "none", "sync is one of 'window', 'micro-batch', 'shards', got 'none'"),
    (
        "nonfinite",
        "skp",
        "nonfinite is one of 'propagate', 'skip', 'raise', got 'skp'; did you mean 'skip'?",
    ),
    (
        "clear",
        "zeros",
        "clear is one of 'none', 'zero', got 'zeros'; did you mean 'zero'?",
    ),
    ("check", True, "check is one of 'auto', 'micro-batch', 'step', 'off', got True"),
    (
        "accumulate",
        0,
        (
            "accumulate is how many micro-batches close a window, 1 or more, or None to close it "
            "with gradients.step(); got 0"
        ),
    ),
    ("clip_norm", -1.0, "clip_norm is a limit above 0, or 0 for none, got -1.0"),
    (
        "clip_norm",
        [1.0, 2.0],
        "clip_norm has 2 limits for 1 optimizer; give one for each, or one joint value",
    ),
    ("clip_value", "much", "clip_value is a limit above 0, or 0 for none, got 'much'"),
    (
        "scaler",
        2.0,
        'scaler is a torch.amp.GradScaler, got float; write scaler=torch.amp.GradScaler("cuda")',
    ),
    ("scheduler", 3, "scheduler has no step(): got int"),
    (
        "accumulate_dtype",
        torch.bfloat16,
        "accumulate_dtype is torch.float32 or torch.float64, got torch.bfloat16",
    ),
    ("transform", 3, "transform is a function, got int"),
    ("only_own", "yes", "only_own is True or False, got 'yes'"),
    ("step_in_backward", 1, "step_in_backward is True or False, got 1"),
    ("on_step", "print", "on_step is a function, got str"),
    ("model", 3, "model is a torch.nn.Module, got int"),
    (
        "comm_hook_averages",
        True,
        (
            "comm_hook_averages=True is about a DistributedDataParallel model's hook; pass that "
            "model as model="
        ),
    ),
    (
        "separable",
        True,
        (
            "separable=True says that step_in_backward=True is sound for this optimizer; pass "
            "both or neither"
        ),
    ),
]


@pytest.mark.parametrize(("name", "value", "reason"), WORDS, ids=lambda value: str(value)[:20])
def test_a_value_that_cannot_be_used_is_refused_with_its_reason(
    name: str, value: Any, reason: str
) -> None:
    assert refused(**{name: value}) == reason


@pytest.mark.parametrize(
    ("optimizers", "got"), [(nn.Linear(1, 1), "Linear"), ([3], "int"), ([], "none")]
)
def test_what_is_no_optimizer_is_refused(optimizers: Any, got: str) -> None:
    with pytest.raises(ArgumentError) as error:
        zerograd.Gradients(optimizers)

    assert str(error.value) == (
        f"Gradients takes a torch.optim.Optimizer or several, got {got}; "
        "write zerograd.Gradients(torch.optim.AdamW(model.parameters()))"
    )


def test_an_unknown_argument_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="accumulation_steps"):
        zerograd.Gradients(optim.SGD(mlp().parameters()), accumulation_steps=4)  # type: ignore[arg-type]


CONTRADICTIONS: list[Any] = [
    ({"clip_norm": 1.0, "clip_value": 1.0}, "clip_norm and clip_value have no agreed order"),
    ({"nonfinite": "raise", "scaler": "on"}, "a scaler finds its scale by overflowing"),
    ({"step_in_backward": True, "accumulate": 2}, "a window cannot hold several micro-batches"),
    ({"step_in_backward": True, "accumulate": None}, "a window cannot hold several"),
    ({"step_in_backward": True, "clip_norm": 1.0}, "so there is no joint norm"),
    ({"step_in_backward": True, "scaler": "on"}, "whether another gradient overflowed"),
    ({"step_in_backward": True, "nonfinite": "skip"}, "whether another gradient is finite"),
    ({"step_in_backward": True, "transform": print}, "never holds all gradients at once"),
    ({"step_in_backward": True, "clear": "zero"}, "frees each gradient"),
    pytest.param(
        {"step_in_backward": True, "accumulate_dtype": torch.float32},
        "nothing to accumulate",
        marks=WIDE_SUMS,
    ),
]


@pytest.mark.parametrize(("options", "reason"), CONTRADICTIONS, ids=str)
def test_arguments_that_contradict_each_other_are_refused(
    options: dict[str, Any], reason: str
) -> None:
    if "scaler" in options:
        options = {**options, "scaler": torch.amp.GradScaler("cpu")}

    assert reason in refused(**options)


def test_measuring_a_norm_beside_clip_value_is_no_contradiction() -> None:
    gradients = zerograd.Gradients(
        optim.SGD(mlp().parameters()), clip_norm=float("inf"), clip_value=0.1
    )

    assert gradients.steps == 0


def test_lbfgs_needs_windows_closed_by_hand() -> None:
    reason = refused(optim.LBFGS(mlp().parameters()))

    assert reason == (
        "LBFGS evaluates the loss itself; give it an engine of its own with accumulate=None and "
        "call gradients.step(closure)"
    )


def test_sparse_adam_needs_gradients_let_go() -> None:
    table = nn.Embedding(3, 2, sparse=True)

    assert "write clear='none'" in refused(optim.SparseAdam(table.parameters()), clear="zero")


class Custom(optim.SGD):
    """An optimizer of which nobody knows whether it reads other parameters."""


def test_an_unknown_optimizer_in_the_backward_needs_to_be_called_separable() -> None:
    optimizer = Custom(mlp().parameters(), lr=0.1)

    reason = refused(optimizer, step_in_backward=True)

    assert "pass separable=True if its update of one parameter reads no other" in reason
    assert zerograd.Gradients(optimizer, step_in_backward=True, separable=True).steps == 0


def test_a_plateau_scheduler_needs_a_metric() -> None:
    optimizer = optim.SGD(mlp().parameters(), lr=0.1)

    assert refused(optimizer, scheduler=ReduceLROnPlateau(optimizer)) == (
        "ReduceLROnPlateau needs a metric, which the engine does not have; call its step(metric) "
        "yourself after validation"
    )


def test_a_scheduler_of_another_optimizer_is_refused() -> None:
    other = optim.SGD(mlp().parameters(), lr=0.1)

    assert refused(scheduler=StepLR(other, 1)) == (
        "StepLR schedules another optimizer than this engine's; build it over the one that you pass"
    )


def test_the_older_fsdp_is_refused() -> None:
    class FullyShardedDataParallel(nn.Module):
        """Stands for torch's, which needs a process group to be built."""

    assert refused(model=FullyShardedDataParallel()) == (
        "FullyShardedDataParallel (FSDP1) hides its gradients from the engine; shard the model "
        "with torch.distributed.fsdp.fully_shard"
    )


ITEMS: list[tuple[Any, str, str]] = [
    (-1, "mean", "items must be a finite count, 0 or more, got -1"),
    (float("nan"), "mean", "items must be a finite count, 0 or more, got nan"),
    (float("inf"), "sum", "items must be a finite count, 0 or more, got inf"),
    ("four", "mean", "items must be a number, got str; write items=len(targets)"),
    ("8", "mean", "items must be a number, got str; write items=len(targets)"),
    (True, "mean", "items must be a number, got bool; write items=len(targets)"),
    ([4], "mean", "items must be a number, got list; write items=len(targets)"),
    (
        torch.ones(2),
        "sum",
        "items is one count, got a tensor of shape (2,); write items=mask.sum()",
    ),
    (
        torch.tensor(4),
        "mean",
        (
            "items may be a tensor only with reduction='sum': a mean is weighted on the host, and "
            "reading the tensor would stall the device; make the loss a sum, or write "
            "items=int(count)"
        ),
    ),
    (
        None,
        "sum",
        "a loss that is a sum needs its count; write gradients.backward(loss, items=len(targets))",
    ),
]


@pytest.mark.parametrize(("items", "reduction", "reason"), ITEMS, ids=str)
def test_counts_that_are_none_are_refused(items: Any, reduction: str, reason: str) -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), reduction=reduction)

    with pytest.raises(ArgumentError) as error:
        gradients.backward(square(model, 4, 0), items=items)

    assert str(error.value) == reason


def test_items_for_some_micro_batches_of_a_window_are_refused() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), accumulate=2)
    gradients.backward(square(model, 4, 0), items=4)

    with pytest.raises(ArgumentError) as error:
        gradients.backward(square(model, 4, 0))

    assert str(error.value) == (
        "some micro-batches of this window have items= and this one has not; give it to all of "
        "them or to none"
    )
    gradients.discard()


def test_items_after_micro_batches_without_are_refused() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), accumulate=2)
    gradients.backward(square(model, 4, 0))

    with pytest.raises(ArgumentError) as error:
        gradients.backward(square(model, 4, 0), items=4)

    assert str(error.value) == (
        "some micro-batches of this window have no items= and this one has; give it to all of "
        "them or to none"
    )
    gradients.discard()


def test_items_of_one_loss_of_several_are_refused() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))

    with pytest.raises(ArgumentError) as error, gradients.micro_batch():
        gradients.backward(square(model, 4, 0), items=4)

    assert str(error.value) == (
        "items belongs to the micro-batch, not to one of its losses; write with "
        "gradients.micro_batch(items=n):"
    )


LOSSES: dict[str, tuple[Any, str]] = {
    "a number": (
        lambda _: 0.3,
        "a loss is a tensor, got float; pass what the criterion returned",
    ),
    "a complex number": (
        lambda model: model(torch.ones(4, 3)).mean() * 1j,
        "a loss is a real number, got torch.complex64; write loss.real, or loss.abs()",
    ),
    "a batch": (
        lambda model: model(torch.ones(4, 3)),
        (
            "a loss is one number, got a tensor of shape (4, 2); write loss.mean(), or loss.sum() "
            "with reduction='sum'"
        ),
    ),
    "detached": (
        lambda model: model(torch.ones(4, 3)).sum().detach(),
        (
            "ZG601 backward-without-graph: this loss has no graph; compute it outside no_grad() "
            "and without detach() or item()"
        ),
    ),
}


@pytest.mark.parametrize("kind", LOSSES)
def test_a_loss_that_is_none_is_refused_and_its_window_stays(kind: str) -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), accumulate=2)
    gradients.backward(square(model, 4, 0))
    loss, reason = LOSSES[kind]

    with pytest.raises(ZerogradError) as error:
        gradients.backward(loss(model))

    assert str(error.value) == reason
    assert gradients.backward(square(model, 4, 0))


@pytest.mark.parametrize("call", ["step", "flush", "discard", "state_dict"])
def test_calls_that_would_cut_a_micro_batch_are_refused(call: str) -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), accumulate=2)

    def cut() -> None:
        with gradients.micro_batch():
            gradients.backward(square(model, 4, 0))
            getattr(gradients, call)()

    with pytest.raises(ArgumentError, match="would end a micro-batch halfway"):
        cut()


def numbers_of_numpy() -> dict[str, Any]:
    numpy = pytest.importorskip("numpy")
    return {"accumulate": numpy.int64(2), "clip_norm": numpy.float32(0.5)}


def test_numbers_of_numpy_are_numbers() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), **numbers_of_numpy())

    for _ in range(2):
        gradients.backward(weight.sum())

    assert gradients.steps == 1
    assert weight.item() == -0.5


@pytest.mark.parametrize("accumulate", [True, 2.0, "2", torch.tensor(2.0)])
def test_what_is_no_whole_number_closes_no_window(accumulate: Any) -> None:
    assert refused(accumulate=accumulate).endswith(f"got {accumulate!r}")


def test_a_scheduler_that_was_not_made_is_refused() -> None:
    assert refused(scheduler=StepLR) == (
        "scheduler is the class StepLR; write scheduler=StepLR(optimizer, ...)"
    )


@pytest.mark.parametrize("given", [mlp(), {"first": None}])
def test_what_holds_no_optimizers_is_named_itself(given: Any) -> None:
    assert refused(given) == (
        f"Gradients takes a torch.optim.Optimizer or several, got {type(given).__name__}; "
        "write zerograd.Gradients(torch.optim.AdamW(model.parameters()))"
    )


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("grad_accum_steps", "accumulate"),
        ("accum_iter", "accumulate"),
        ("grad_accum", "accumulate"),
        ("clip_grad", "clip_norm"),
        ("set_to_none", "clear"),
    ],
)
def test_what_scripts_call_an_argument_is_understood(name: str, meant: str) -> None:
    assert refused(**{name: 1}) == f"Gradients has no argument {name!r}; did you mean {meant}=?"


def test_an_unknown_argument_of_backward_says_where_they_are_listed() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1))

    with pytest.raises(ArgumentError) as error:
        gradients.backward(square(model, 3, 0), n=3)  # type: ignore[arg-type]

    assert str(error.value) == (
        "backward has no argument 'n'; help(zerograd.Gradients.backward) lists them"
    )


def test_one_parameter_twice_in_one_optimizer_is_not_called_two_optimizers() -> None:
    weight = nn.Parameter(torch.zeros(1))
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optimizer = optim.SGD([weight, weight], lr=0.1)

    with pytest.raises(LifecycleError) as error:
        zerograd.Gradients(optimizer)

    assert str(error.value) == (
        "ZG307 shared-parameter: SGD holds one parameter twice, as tied weights that were listed "
        "by their modules, and each of its steps would move it twice; list each parameter once: "
        "model.parameters() does"
    )
