"""A window saved at any micro-batch is taken up again, bit for bit."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
import torch
from engine_cases import mlp, same, square
from needed_torch import WIDE_SUMS
from torch import nn, optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset, IterableDataset

import zerograd
from zerograd.errors import ArgumentError, CheckpointError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EPOCHS = 2


class Noisy(Dataset[torch.Tensor]):
    """Augments with Python's and torch's global generators."""

    def __len__(self) -> int:
        return 14

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.full((3,), float(index)) + torch.randn(3) * random.random()


class Endless(IterableDataset[torch.Tensor]):
    """The same without a length."""

    def __iter__(self) -> Iterator[torch.Tensor]:
        return (Noisy()[index] for index in range(14))


class Remembers:
    """A loader with a state of its own, as StatefulDataLoader has."""

    def __init__(self) -> None:
        self.drawn = 0

    def state_dict(self) -> dict[str, int]:
        return {"drawn": self.drawn}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.drawn = state["drawn"]

    def __len__(self) -> int:
        return 7

    def __iter__(self) -> Iterator[torch.Tensor]:
        while self.drawn < 7:
            self.drawn += 1
            yield torch.full((2, 3), float(self.drawn))
        self.drawn = 0


LOADERS: dict[str, Any] = {
    "shuffled": lambda: DataLoader(Noisy(), batch_size=2, shuffle=True),
    "own generator": lambda: DataLoader(
        Noisy(), batch_size=2, shuffle=True, generator=torch.Generator().manual_seed(5)
    ),
    "no length": lambda: DataLoader(Endless(), batch_size=2),
    "own state": Remembers,
}


class Run:
    """A small training run that can stop after any micro-batch and be resumed by another."""

    def __init__(self, kind: str, **options: Any) -> None:
        torch.manual_seed(11)
        random.seed(11)
        self.model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1))
        optimizer = optim.AdamW(self.model.parameters(), lr=0.05, fused=True)
        scheduler = StepLR(optimizer, step_size=2, gamma=0.7)
        self.gradients = zerograd.Gradients(
            optimizer, accumulate=3, clip_norm=1.0, scheduler=scheduler, **options
        )
        self.loader = LOADERS[kind]()

    def train(self, path: Path | None = None, stop: int | None = None) -> None:
        done = 0
        for _ in range(self.gradients.epoch, EPOCHS):
            for inputs in self.gradients.batches(self.loader):
                loss = self.model(inputs).square().mean()
                self.gradients.backward(loss, items=len(inputs))
                done += 1
                if done == stop and path is not None:
                    zerograd.checkpoint(path, self.gradients, model=self.model)
                    self.gradients.discard()
                    return


@pytest.mark.parametrize("stop", [1, 2, 3, 6, 7, 8, 11, 14])
@pytest.mark.parametrize("kind", LOADERS)
def test_a_resumed_run_ends_bit_identical(kind: str, stop: int, tmp_path: Path) -> None:
    whole = Run(kind)
    whole.train()
    Run(kind).train(tmp_path / "run.pt", stop)
    torch.manual_seed(99)

    resumed = Run(kind)
    found = zerograd.resume(tmp_path / "run.pt", resumed.gradients, model=resumed.model)
    resumed.train()

    assert found
    assert same(whole.model, resumed.model)
    assert whole.gradients.steps == resumed.gradients.steps


@pytest.mark.parametrize("clear", ["none", "zero"])
def test_a_window_in_the_middle_is_saved_with_its_sums_and_reference(clear: str) -> None:
    whole, half, rest = mlp(), mlp(), mlp()
    options: dict[str, Any] = {"accumulate": 3, "clear": clear}
    one = zerograd.Gradients(optim.AdamW(whole.parameters()), **options)
    two = zerograd.Gradients(optim.AdamW(half.parameters()), **options)
    three = zerograd.Gradients(optim.AdamW(rest.parameters()), **options)

    for seed, size in enumerate((3, 7, 2)):
        one.backward(square(whole, size, seed), items=size)
    for seed, size in enumerate((3, 7)):
        two.backward(square(half, size, seed), items=size)
    three.load_state_dict(two.state_dict())
    two.discard()
    step = three.backward(square(rest, 2, 2), items=2)

    assert step is not None
    assert (step.micro_batches, step.items) == (3, 12)
    assert same(whole, rest)


@WIDE_SUMS
def test_fp32_sums_of_16_bit_parameters_are_saved_as_fp32() -> None:
    first, second = (nn.Parameter(torch.zeros(3, dtype=torch.bfloat16)) for _ in range(2))
    options: dict[str, Any] = {"accumulate": 3, "accumulate_dtype": torch.float32}
    one = zerograd.Gradients(optim.SGD([first], lr=1.0), **options)
    two = zerograd.Gradients(optim.SGD([second], lr=1.0), **options)
    one.backward((first * 1.0).sum())
    one.backward((first * 0.001).sum())

    two.load_state_dict(one.state_dict())

    assert second.grad is not None
    assert second.grad.dtype is torch.float32
    assert torch.equal(second.grad, first.grad)  # type: ignore[arg-type]
    one.discard()
    two.discard()


def test_a_scaler_is_saved_with_its_engine() -> None:
    first, second = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    one = zerograd.Gradients(
        optim.SGD([first]), scaler=torch.amp.GradScaler("cpu", init_scale=8.0), accumulate=2
    )
    scaler = torch.amp.GradScaler("cpu")
    two = zerograd.Gradients(optim.SGD([second]), scaler=scaler, accumulate=2)
    one.backward(first.sum())

    two.load_state_dict(one.state_dict())

    assert scaler.get_scale() == 8.0
    one.discard()
    two.discard()


def test_state_of_another_model_is_refused() -> None:
    first, second = mlp(), nn.Linear(3, 1)
    one = zerograd.Gradients(optim.SGD(first.parameters()))
    two = zerograd.Gradients(optim.SGD(second.parameters()))

    with pytest.raises(CheckpointError) as refused:
        two.load_state_dict(one.state_dict())

    assert str(refused.value) == (
        "the saved engine has 4 parameters and this one 2; build the same model and optimizers "
        "first"
    )


def test_engines_saved_between_their_backwards_cannot_share_a_loader_again() -> None:
    first, second = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    critic, generator = (zerograd.Gradients(optim.SGD([one])) for one in (first, second))
    for _ in zerograd.batches(range(4), critic, generator):
        generator.backward(second.sum())
    states = []
    for index in zerograd.batches(range(4), critic, generator):
        critic.backward(first.sum())
        if index == 2:
            states = [critic.state_dict(), generator.state_dict()]
            break
        generator.backward(second.sum())

    critic.load_state_dict(states[0])
    generator.load_state_dict(states[1])

    with pytest.raises(ArgumentError, match="the engines were saved at different batches"):
        next(iter(zerograd.batches(range(4), critic, generator)))


def written(tmp_path: Path) -> tuple[Path, nn.Module, zerograd.Gradients]:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1))
    gradients.backward(square(model, 3, 0))
    path = tmp_path / "run.pt"
    zerograd.checkpoint(path, gradients, model=model)
    return path, model, gradients


def test_no_state_at_all_is_refused() -> None:
    gradients = zerograd.Gradients(optim.SGD(mlp().parameters()))

    with pytest.raises(CheckpointError) as refused:
        gradients.load_state_dict(None)  # type: ignore[arg-type]

    assert str(refused.value) == (
        "this is no state of a zerograd engine; pass what gradients.state_dict() returned"
    )


@pytest.mark.parametrize("save", [zerograd.checkpoint, zerograd.resume])
def test_an_engine_among_the_named_parts_is_refused(save: Any, tmp_path: Path) -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))

    with pytest.raises(ArgumentError) as refused:
        save(tmp_path / "run.pt", model=model, gradients=gradients)

    assert str(refused.value) == (
        "gradients= is an engine, and engines come before the named parts, without names; write "
        "zerograd.checkpoint(path, gradients, model=model)"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError) as refused:
        zerograd.checkpoint(tmp_path / "run.pt")

    assert str(refused.value) == (
        "there is nothing to save or to resume; write zerograd.checkpoint(path, gradients, "
        "model=model)"
    )


def test_a_checkpoint_into_no_folder_says_which_to_make(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as refused:
        zerograd.checkpoint(tmp_path / "runs" / "run.pt", model=mlp())

    folder = tmp_path / "runs"
    assert str(refused.value) == f"there is no folder {folder}; make it first: mkdir -p {folder}"


def test_a_folder_is_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as written:
        zerograd.checkpoint(tmp_path, model=mlp())
    with pytest.raises(CheckpointError) as read:
        zerograd.resume(tmp_path, model=mlp())

    assert str(written.value) == (
        f"{tmp_path} is a folder; name a file in it: {tmp_path / 'run.pt'}"
    )
    assert str(read.value) == (f"{tmp_path} is a folder; name the file that checkpoint() wrote")


def test_nothing_to_resume_is_said_with_false_where_that_is_asked_for(tmp_path: Path) -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))

    assert not zerograd.resume(tmp_path / "none.pt", gradients, model=model, missing_ok=True)


def test_a_mistyped_name_is_an_error_with_the_nearest_file(tmp_path: Path) -> None:
    path, model, gradients = written(tmp_path)
    (tmp_path / "notes.txt").touch()
    (tmp_path / "rnu.pt").mkdir()

    with pytest.raises(CheckpointError) as refused:
        zerograd.resume(tmp_path / "rum.pt", gradients, model=model)

    assert str(refused.value) == (
        f"there is no {tmp_path / 'rum.pt'}, and the nearest to it is {path}; name the right "
        "file, or pass missing_ok=True to begin anew where there is none"
    )


def test_a_name_in_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as refused:
        zerograd.resume(tmp_path / "run.pt", model=mlp())

    assert str(refused.value) == (
        f"there is no {tmp_path / 'run.pt'}, and no other file beside it; name the right file, or "
        "pass missing_ok=True to begin anew where there is none"
    )


def test_a_mistyped_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as refused:
        zerograd.resume(tmp_path / "runs" / "run.pt", model=mlp())

    assert str(refused.value) == (
        f"there is no folder {tmp_path / 'runs'}; name the right file, or pass missing_ok=True to "
        "begin anew where there is none"
    )


def test_a_part_named_missing_ok_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError) as refused:
        zerograd.resume(tmp_path / "run.pt", missing_ok=mlp())  # type: ignore[arg-type]

    assert str(refused.value) == (
        "missing_ok is True or False, got Sequential; give a part another name"
    )


@pytest.mark.parametrize("damage", ["cut", "flipped", "text", "empty", "holed"])
def test_a_torn_file_is_refused_with_a_sentence_and_nothing_is_loaded(
    damage: str, tmp_path: Path
) -> None:
    path, model, gradients = written(tmp_path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    half, flipped = bytes(content[: len(content) // 2]), bytes(content)
    holed = half[:-100] + flipped[len(half) :]
    torn = {"cut": half, "flipped": flipped, "text": b"hello", "empty": b"", "holed": holed}
    path.write_bytes(torn[damage])

    with pytest.raises(CheckpointError) as refused:
        zerograd.resume(path, gradients, model=model)

    assert str(refused.value) == (
        f"{path} is torn or no checkpoint at all, and nothing was loaded; name an older file, or "
        "remove it to begin anew"
    )


FOREIGN = [
    {"model": {}},
    {"zerograd": True},
    {"zerograd": 2},
    {"zerograd": 2, "engines": None, "parts": {}, "generators": {}},
    {"zerograd": 2, "engines": [{}], "parts": {}, "generators": {}},
    [1],
]


@pytest.mark.parametrize("content", FOREIGN)
def test_a_foreign_file_is_refused(content: Any, tmp_path: Path) -> None:
    path, model, gradients = written(tmp_path)
    torch.save(content, path)

    with pytest.raises(CheckpointError) as refused:
        zerograd.resume(path, gradients, model=model)

    assert str(refused.value) == (
        f"{path} was not written by zerograd.checkpoint(); name the file that was"
    )


@pytest.mark.parametrize("version", [0, 1, 3])
def test_a_file_of_another_version_is_refused_as_such(version: int, tmp_path: Path) -> None:
    path, model, gradients = written(tmp_path)
    state = torch.load(path, weights_only=True)
    torch.save({**state, "zerograd": version}, path)

    with pytest.raises(CheckpointError) as refused:
        zerograd.resume(path, gradients, model=model)

    assert str(refused.value) == (
        f"{path} was written by another version of zerograd, in format {version} where this one "
        "reads 2; install that version, or begin anew"
    )


def test_other_parts_than_were_saved_are_refused(tmp_path: Path) -> None:
    path, model, gradients = written(tmp_path)

    with pytest.raises(CheckpointError, match="holds the parts model=, and ema=, model= are to be"):
        zerograd.resume(path, gradients, model=model, ema=mlp())


def test_other_optimizers_than_were_saved_are_refused_before_anything_is_loaded(
    tmp_path: Path,
) -> None:
    path, _, _ = written(tmp_path)
    models = mlp(), mlp()
    two = zerograd.Gradients([optim.SGD(one.parameters()) for one in models])
    before = [parameter.detach().clone() for parameter in models[0].parameters()]

    with pytest.raises(CheckpointError) as refused:
        zerograd.resume(path, two, model=models[0])

    assert str(refused.value) == (
        f"{path} holds 1 optimizers of an engine, and the one to be resumed has 2; build it as it "
        "was"
    )
    assert all(map(torch.equal, before, models[0].parameters()))


def test_a_device_keeps_its_place() -> None:
    with pytest.raises(CheckpointError) as refused:
        zerograd.checkpoint("/dev/full", model=mlp())

    assert str(refused.value) == (
        "/dev/full is a device or a pipe, which no checkpoint may take the place of; name a file"
    )


@pytest.mark.parametrize("check", ["micro-batch", "step"])
def test_an_engine_goes_back_to_a_state_in_the_middle_of_its_own_window(check: str) -> None:
    whole, again = mlp(), mlp()
    one = zerograd.Gradients(optim.SGD(whole.parameters(), lr=0.1), accumulate=3, check=check)
    two = zerograd.Gradients(optim.SGD(again.parameters(), lr=0.1), accumulate=3, check=check)

    two.backward(square(again, 4, 0))
    state = two.state_dict()
    two.backward(square(again, 4, 9))
    two.load_state_dict(state)
    for seed in (1, 2):
        two.backward(square(again, 4, seed))
    for seed in (0, 1, 2):
        one.backward(square(whole, 4, seed))

    assert same(whole, again)


def test_a_state_is_not_loaded_in_the_middle_of_a_micro_batch() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))
    state = gradients.state_dict()

    with gradients.micro_batch():
        gradients.backward(square(model, 4, 0))
        with pytest.raises(ArgumentError, match="would end a micro-batch halfway"):
            gradients.load_state_dict(state)


def test_a_save_that_fails_keeps_the_older_file(tmp_path: Path) -> None:
    path, model, gradients = written(tmp_path)
    before = path.read_bytes()

    class Breaks(nn.Module):
        def state_dict(self, *_: Any, **__: Any) -> Any:
            return {"no": lambda: None}

    with pytest.raises(CheckpointError, match="model= holds something that cannot be pickled"):
        zerograd.checkpoint(path, gradients, model=Breaks())

    assert path.read_bytes() == before
    assert zerograd.resume(path, gradients, model=model)
