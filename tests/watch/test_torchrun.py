"""What `--nproc` asks torchrun for, and what it refuses."""

from __future__ import annotations

import sys

import pytest

from zerograd.errors import ScriptError
from zerograd.watch.process.torchrun import is_torchrun, on_ranks


def test_the_script_and_its_arguments_come_last() -> None:
    command = on_ranks(["train.py", "--epochs", "2"], "2")

    assert command[:4] == ["-m", "torch.distributed.run", "--nproc-per-node", "2"]
    assert command[-3:] == ["train.py", "--epochs", "2"]
    assert "127.0.0.1:0" in command


def test_a_module_keeps_its_flag() -> None:
    assert on_ranks(["-m", "package.train"], "gpu")[-2:] == ["-m", "package.train"]


def test_what_is_no_number_of_ranks_is_a_sentence() -> None:
    with pytest.raises(ScriptError) as refusal:
        on_ranks(["train.py"], "two")

    assert str(refusal.value) == "--nproc two is no number of ranks; pass --nproc 2"


def test_a_script_from_stdin_is_a_sentence() -> None:
    with pytest.raises(ScriptError) as refusal:
        on_ranks(["-"], "2")

    assert str(refusal.value) == (
        "several ranks cannot read one script from stdin; put it into a file"
    )


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("python -m torch.distributed.run --nproc-per-node 2 train.py", True),
        ("python .venv/bin/torchrun --nproc-per-node 2 train.py", True),
        ("python -u train.py", False),
        ("python train.py torchrun", False),
    ],
)
def test_torchrun_itself_trains_nothing(
    command: str, answer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "orig_argv", command.split())

    assert is_torchrun() is answer
