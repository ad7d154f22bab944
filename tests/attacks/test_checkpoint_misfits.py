"""A checkpoint that does not fit is refused with a sentence, and not a bit has changed."""

from __future__ import annotations

import math
import pickle
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
import torch
from checkpoint_cases import Place, Training, seeded
from torch import nn, optim
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR

import zerograd
from zerograd.errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A checkpoint in mid-window, in the second epoch."""
    training = Training().train().train(5)
    training.save(tmp_path / "run.pt")
    training.end()
    return tmp_path / "run.pt"


@pytest.fixture
def other() -> Iterator[Training]:
    """Another training in mid-window, with other weights and other random states."""
    training = Training(seed=9).train(4)
    yield training
    training.end()


def refused(training: Training, path: Path) -> str:
    """Resume, expect a refusal that leaves every bit and object, and return its sentence."""
    before, objects = training.bits(), training.identities()
    with pytest.raises(CheckpointError) as refusal:
        training.resume(path)
    assert training.bits() == before
    assert training.identities() == objects
    return str(refusal.value)


def misfit(path: Path, what: str) -> str:
    return (
        f"{path} does not fit, and nothing was loaded: {what}; build everything as it was when it "
        "was saved, or name another file"
    )


def tamper(path: Path, change: Callable[[Any], object]) -> None:
    state = torch.load(path, weights_only=True)
    change(state)
    torch.save(state, path)


def test_a_fitting_checkpoint_changes_what_the_refusals_must_not(
    path: Path, other: Training
) -> None:
    before = other.bits()

    other.resume(path)

    assert [name for name, bits in other.bits().items() if bits == before[name]] == []


def test_another_model_is_refused(path: Path) -> None:
    wider = Training(seed=9, width=5).train(4)

    said = refused(wider, path)
    wider.end()

    assert said == misfit(
        path,
        "0.weight of model= is a tensor of (4, 3) in float32 in the file and a tensor of (5, 3) "
        "in float32 here",
    )


def test_another_dtype_is_refused(tmp_path: Path) -> None:
    zerograd.checkpoint(tmp_path / "run.pt", model=nn.Linear(2, 1))

    with pytest.raises(CheckpointError) as refusal:
        zerograd.resume(tmp_path / "run.pt", model=nn.Linear(2, 1).double())

    assert str(refusal.value) == misfit(
        tmp_path / "run.pt",
        "weight of model= is a tensor of (1, 2) in float32 in the file and a tensor of (1, 2) in "
        "float64 here",
    )


def test_a_model_with_a_layer_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    zerograd.checkpoint(path, model=nn.Sequential(nn.Linear(2, 1)))
    deeper = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))

    with pytest.raises(CheckpointError) as more:
        zerograd.resume(path, model=deeper)
    zerograd.checkpoint(path, model=deeper)
    with pytest.raises(CheckpointError) as fewer:
        zerograd.resume(path, model=nn.Sequential(nn.Linear(2, 1)))

    assert str(more.value) == misfit(path, "the file has no 1.weight and 1 more for model=")
    assert str(fewer.value) == misfit(path, "the file has 1.weight and 1 more, and model= has none")


def test_a_second_part_that_is_wrong_leaves_the_first_alone(path: Path, other: Training) -> None:
    def change(state: Any) -> None:
        state["parts"]["average"]["module.2.weight"] = torch.zeros(1, 7)

    tamper(path, change)

    assert refused(other, path) == misfit(
        path,
        "module.2.weight of average= is a tensor of (1, 7) in float32 in the file and a tensor of "
        "(1, 4) in float32 here",
    )


class Refuses(Place):
    """Takes half of its state, then raises what no validation can foresee."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        raise KeyError("no such\nthing")


def test_a_part_that_raises_in_the_middle_is_taken_back_with_all_others(path: Path) -> None:
    training = Training(seed=9, place=Refuses()).train(4)

    said = refused(training, path)
    training.end()

    assert said == misfit(path, "place= refuses its state ('no such\\nthing')")


class Interrupts(Place):
    """Is interrupted in the middle of its load."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        raise KeyboardInterrupt


def test_an_interrupted_resume_is_taken_back(path: Path) -> None:
    training = Training(seed=9, place=Interrupts()).train(4)
    before, objects = training.bits(), training.identities()

    with pytest.raises(KeyboardInterrupt):
        training.resume(path)

    assert training.bits() == before
    assert training.identities() == objects
    training.end()


class Halfway(optim.SGD):
    """Loads in place, then raises: the worst that an optimizer can do."""

    def load_state_dict(self, state_dict: Any) -> None:
        for kept in self.state.values():
            kept["momentum_buffer"].fill_(7.0)
        super().load_state_dict(state_dict)
        raise RuntimeError("halfway")


def buffers_of(optimizer: optim.Optimizer) -> list[torch.Tensor]:
    return [kept["momentum_buffer"] for kept in optimizer.state.values()]


@pytest.mark.parametrize("clear", ["none", "zero"])
def test_an_optimizer_that_raises_in_the_middle_is_taken_back(clear: str, tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    models = [nn.Linear(2, 1) for _ in range(2)]
    optimizers = [Halfway(one.parameters(), lr=0.1, momentum=0.9) for one in models]
    engines = [zerograd.Gradients(optimizer, accumulate=2, clear=clear) for optimizer in optimizers]
    for _ in range(3):
        for model, engine in zip(models, engines, strict=True):
            engine.backward(model(torch.ones(1, 2)).sum())
    zerograd.checkpoint(path, engines[0], model=models[0])
    held = [*models[1].parameters(), *buffers_of(optimizers[1])]
    before = [one.clone() for one in held]

    with pytest.raises(CheckpointError) as refusal:
        zerograd.resume(path, engines[1], model=models[1])

    assert str(refusal.value) == misfit(path, "optimizer 1 of engine 1 refuses its state (halfway)")
    assert all(map(torch.equal, before, held))
    assert list(map(id, held[2:])) == list(map(id, buffers_of(optimizers[1])))
    for engine in engines:
        engine.discard()


def test_a_window_goes_on_exactly_after_a_refusal(path: Path) -> None:
    untouched, tried = (Training(seed=9, place=Refuses()) for _ in range(2))
    for training in (untouched, tried):
        seeded(1)
        training.train(4)

    refused(tried, path)
    for training in (untouched, tried):
        seeded(2)
        training.train()

    assert untouched.bits() == tried.bits()


def test_adam_in_the_place_of_adamw_is_refused(tmp_path: Path) -> None:
    path, model = tmp_path / "run.pt", nn.Linear(2, 1)
    saved = zerograd.Gradients(optim.Adam(model.parameters()))
    zerograd.checkpoint(path, saved)
    del saved

    with pytest.raises(CheckpointError) as refusal:
        zerograd.resume(path, zerograd.Gradients(optim.AdamW(model.parameters())))

    assert str(refusal.value) == (
        f"{path} holds the state of Adam, and AdamW are to be resumed; build the same ones in the "
        "same order"
    )


def test_another_schedule_is_refused(tmp_path: Path) -> None:
    path, model = tmp_path / "run.pt", nn.Linear(2, 1)
    first, second = (optim.SGD(model.parameters(), lr=0.1) for _ in range(2))
    saved = zerograd.Gradients(first, scheduler=StepLR(first, 2))
    zerograd.checkpoint(path, saved)
    del saved

    with pytest.raises(CheckpointError) as refusal:
        zerograd.resume(
            path, zerograd.Gradients(second, scheduler=CosineAnnealingLR(second, T_max=2))
        )

    assert str(refusal.value) == (
        f"{path} holds the state of SGD, StepLR, and SGD, CosineAnnealingLR are to be resumed; "
        "build the same ones in the same order"
    )


@pytest.mark.parametrize("had", [True, False])
def test_a_scaler_on_one_side_only_is_refused(had: bool, tmp_path: Path) -> None:
    path, model = tmp_path / "run.pt", nn.Linear(2, 1)
    scaler = torch.amp.GradScaler("cpu")
    saved = zerograd.Gradients(optim.SGD(model.parameters()), scaler=scaler if had else None)
    zerograd.checkpoint(path, saved)
    del saved

    with pytest.raises(CheckpointError) as refusal:
        zerograd.resume(
            path,
            zerograd.Gradients(optim.SGD(model.parameters()), scaler=None if had else scaler),
        )

    sides = ("a scaler", "no scaler") if had else ("no scaler", "a scaler")
    assert str(refusal.value) == misfit(
        path, f"the saved engine has {sides[0]} and this one {sides[1]}"
    )


def engine(state: Any) -> Any:
    return state["engines"][0]["engine"]


def optimizer(state: Any, number: int) -> Any:
    return state["engines"][0]["optimizers"][number]


TAMPERED: dict[str, tuple[Callable[[Any], object], str]] = {
    "NaN windows": (
        lambda s: engine(s).update(windows=math.nan),
        "windows of the saved engine is nan, which is no count",
    ),
    "negative epoch": (
        lambda s: engine(s).update(epoch=-1),
        "epoch of the saved engine is -1, which is no count",
    ),
    "a truth for an index": (
        lambda s: engine(s).update(index=True),
        "index of the saved engine is True, which is no count",
    ),
    "no accumulate": (
        lambda s: engine(s).update(accumulate=0),
        "accumulate of the saved engine is 0",
    ),
    "NaN items": (
        lambda s: engine(s)["window"].update(items=math.nan),
        "items of the saved window is nan, which is no count",
    ),
    "NaN items on a device": (
        lambda s: engine(s)["window"].update(items=torch.tensor(math.nan)),
        "items of the saved window is nan, which is no count",
    ),
    "no reference": (
        lambda s: engine(s)["window"].update(reference=0),
        "the saved window contradicts itself",
    ),
    "a full window": (
        lambda s: engine(s)["window"].update(micro_batches=3),
        "the saved window has 3 of 3 micro-batches, and would have been spent",
    ),
    "a field less": (
        lambda s: engine(s).pop("discarded"),
        "the saved engine has other fields than this one",
    ),
    "a field more": (
        lambda s: engine(s).update(more=1),
        "the saved engine has other fields than this one",
    ),
    "a window's field less": (
        lambda s: engine(s)["window"].pop("counted"),
        "the saved window has other fields than this one",
    ),
    "no start": (
        lambda s: engine(s).update(start=None),
        "the saved engine does not say how its data is brought to its place",
    ),
    "a strange start": (
        lambda s: engine(s).update(start={"python": 3}),
        "the generators in start of the saved engine are in no state that they can have",
    ),
    "another gradient": (
        lambda s: engine(s)["accounts"].__setitem__(0, torch.zeros(9)),
        "the gradient of 0.weight is a tensor of (9,) in float32 in the file and (4, 3) here",
    ),
    "a gradient too many": (
        lambda s: engine(s)["accounts"].append(None),
        "the saved engine has 7 parameters and this one 6",
    ),
    "a scale of zero": (
        lambda s: engine(s)["scaler"].update(scale=0.0),
        "scale of the scaler is 0.0 in the file",
    ),
    "a NaN scale": (
        lambda s: engine(s)["scaler"].update(scale=math.nan),
        "scale of the scaler is nan in the file",
    ),
    "another moment": (
        lambda s: optimizer(s, 0)["state"][0].update(exp_avg=torch.zeros(2, 2)),
        (
            "exp_avg of parameter 0 of optimizer 1 of engine 1 is a tensor of (2, 2) in float32 in "
            "the file and a tensor of (4, 3) in float32 here"
        ),
    ),
    "a moment less": (
        lambda s: optimizer(s, 0)["state"][0].pop("exp_avg_sq"),
        "the file has no exp_avg_sq of parameter 0 of optimizer 1 of engine 1",
    ),
    "a NaN step": (
        lambda s: optimizer(s, 0)["state"][0].update(step=torch.tensor(math.nan)),
        "step of parameter 0 of optimizer 1 of engine 1 is no count in the file",
    ),
    "a rate in words": (
        lambda s: optimizer(s, 1)["param_groups"][0].update(lr="fast"),
        "lr of group 0 of optimizer 2 of engine 1 is a str in the file",
    ),
    "no rate": (
        lambda s: optimizer(s, 1)["param_groups"][0].pop("lr"),
        "the file has no lr for group 0 of optimizer 2 of engine 1",
    ),
    "one parameter twice": (
        lambda s: optimizer(s, 1)["param_groups"][0].update(params=[0, 0, 1, 2]),
        "group 0 of optimizer 2 of engine 1 does not number its parameters",
    ),
    "a group more": (
        lambda s: optimizer(s, 1)["param_groups"].append({}),
        "optimizer 2 of engine 1 has 2 parameter groups in the file and 1 here",
    ),
    "a schedule's NaN": (
        lambda s: s["engines"][0]["schedulers"][0].update(last_epoch=math.nan),
        "last_epoch of scheduler 1 of engine 1 is nan in the file",
    ),
    "a schedule's field": (
        lambda s: s["engines"][0]["schedulers"][0].update(optimizer="mine"),
        "the file has optimizer, and scheduler 1 of engine 1 has none",
    ),
    "a generator": (
        lambda s: s["generators"].update(torch=torch.zeros(3, dtype=torch.uint8)),
        "the generators in the file are in no state that they can have",
    ),
    "a position outside": (
        lambda s: s["generators"].update(numpy=(*s["generators"]["numpy"][:2], 10**6, 0, 0.0)),
        "the generators in the file are in no state that they can have",
    ),
    "a list of a model": (
        lambda s: s["parts"].update(model=[1]),
        "model= is a list of 1 in the file",
    ),
    "a tensor without values": (
        lambda s: s["parts"]["model"].update({"0.bias": torch.zeros(4, device="meta")}),
        (
            "0.bias of model= is a meta tensor of (4,) in float32 in the file and a tensor of (4,) "
            "in float32 here"
        ),
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_field_is_refused_by_its_name(name: str, path: Path, other: Training) -> None:
    change, what = TAMPERED[name]
    tamper(path, change)

    assert refused(other, path) == misfit(path, what)


def test_moments_that_share_memory_in_the_file_are_parted(path: Path, other: Training) -> None:
    def change(state: Any) -> None:
        first, second = (optimizer(state, 0)["state"][number] for number in range(2))
        first["exp_avg"] = first["exp_avg_sq"]
        second["exp_avg"] = torch.zeros(1).expand(4)

    tamper(path, change)

    other.resume(path)
    kept = [other.first.state[parameter] for parameter in other.model[0].parameters()]

    assert torch.equal(kept[0]["exp_avg"], kept[0]["exp_avg_sq"])
    assert kept[0]["exp_avg"].data_ptr() != kept[0]["exp_avg_sq"].data_ptr()
    assert kept[1]["exp_avg"].add_(1.0).tolist() == [1.0] * 4


def test_a_part_that_the_file_lacks_is_refused(path: Path, other: Training) -> None:
    tamper(path, lambda state: state["parts"].pop("average"))

    assert refused(other, path) == (
        f"{path} holds the parts model=, place=, and average=, model=, place= are to be resumed; "
        "name the same ones"
    )


class Bomb:
    """Would run when it is unpickled."""

    def __reduce__(self) -> Any:
        return print, ("boom",)


def test_a_file_that_would_run_something_is_refused(
    path: Path, other: Training, capsys: pytest.CaptureFixture[str]
) -> None:
    state = torch.load(path, weights_only=True)
    state["parts"]["place"] = Bomb()
    torch.save(state, path)

    said = refused(other, path)

    assert said == (
        f"{path} is torn or no checkpoint at all, and nothing was loaded; name an older file, or "
        "remove it to begin anew"
    )
    assert capsys.readouterr().out == ""


def test_a_plain_pickle_is_refused_unread(
    path: Path, other: Training, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_bytes(pickle.dumps(Bomb()))

    assert "is torn or no checkpoint at all" in refused(other, path)
    assert capsys.readouterr().out == ""


def test_a_file_that_unpacks_to_more_than_it_is_is_refused(path: Path, other: Training) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run/data.pkl", bytes(10_000_000))

    assert "is torn or no checkpoint at all" in refused(other, path)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_file_cut_anywhere_is_refused(share: float, path: Path, other: Training) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])

    assert "is torn or no checkpoint at all" in refused(other, path)


def test_an_engines_own_state_is_loaded_whole_or_not_at_all(path: Path, other: Training) -> None:
    state = torch.load(path, weights_only=True)["engines"][0]["engine"]
    state["skipped"] = "none"
    before = other.bits()

    with pytest.raises(CheckpointError) as refusal:
        other.gradients.load_state_dict(state)

    assert str(refusal.value) == (
        "skipped of the saved engine is 'none', which is no count; build the same model and "
        "optimizers first"
    )
    assert other.bits() == before
