"""Checkpoints of unlucky people: odd names, lost folders, interrupts, pipes, strange settings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn, optim
from torch.serialization import get_crc32_options, set_crc32_options

import zerograd
from zerograd.errors import ArgumentError, CheckpointError

if TYPE_CHECKING:
    from pathlib import Path


def filled(value: float) -> nn.Linear:
    model = nn.Linear(8, 1, bias=False)
    nn.init.constant_(model.weight, value)
    return model


def value_in(path: Path | str) -> float:
    model = filled(-1.0)
    zerograd.resume(path, model=model)
    return float(model.weight.detach()[0, 0])


INTERRUPTED = """
import sys, torch, zerograd
model = torch.nn.Linear(300_000, 1)
print("ready", flush=True)
while True:
    zerograd.checkpoint(sys.argv[1], model=model)
"""


def stopped(process: subprocess.Popen[bytes], ending: signal.Signals) -> bytes:
    """Send a signal until the process ends: Python loses an interrupt that meets a destructor."""
    with process:
        for _ in range(20):
            process.send_signal(ending)
            with suppress(subprocess.TimeoutExpired):
                return process.communicate(timeout=3)[1]
        process.kill()
    raise AssertionError(f"still running after 20 times {ending.name}")


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_process_stopped_while_it_saves_leaves_a_whole_file(
    ending: signal.Signals, tmp_path: Path
) -> None:
    path = tmp_path / "run.pt"
    zerograd.checkpoint(path, model=nn.Linear(300_000, 1))
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()

    threading.Event().wait(0.05)  # somewhere within a save
    errors = stopped(process, ending)
    left = [one.name for one in tmp_path.iterdir()]

    assert process.returncode == -ending
    assert zerograd.resume(path, model=nn.Linear(300_000, 1))
    assert (b"KeyboardInterrupt" in errors) is (ending is signal.SIGINT)
    assert left == ["run.pt"] or ending is not signal.SIGINT


def test_a_tilde_is_not_a_folder_to_make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sentence = (
        "there is no folder ~/runs, since Python does not expand ~; write "
        "os.path.expanduser('~/runs/run.pt')"
    )

    with pytest.raises(CheckpointError) as written:
        zerograd.checkpoint("~/runs/run.pt", model=filled(1.0))
    with pytest.raises(CheckpointError) as read:
        zerograd.resume("~/runs/run.pt", model=filled(1.0))

    assert str(written.value) == sentence
    assert str(read.value) == sentence


def test_a_folder_with_a_space_is_quoted_for_the_shell(tmp_path: Path) -> None:
    folder = tmp_path / "my runs"

    with pytest.raises(CheckpointError) as refused:
        zerograd.checkpoint(folder / "run.pt", model=filled(1.0))

    assert str(refused.value) == f"there is no folder {folder}; make it first: mkdir -p '{folder}'"


def test_a_relative_name_is_meant_where_the_process_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()

    for number, folder in enumerate(("one", "two"), 1):
        monkeypatch.chdir(tmp_path / folder)
        zerograd.checkpoint("run.pt", model=filled(float(number)))

    assert value_in("run.pt") == 2.0
    assert value_in("../one/run.pt") == 1.0


def test_a_folder_that_was_deleted_under_the_process_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    with pytest.raises(CheckpointError, match="cannot be written"):
        zerograd.checkpoint("run.pt", model=filled(1.0))
    with pytest.raises(CheckpointError, match=r"there is no run\.pt"):
        zerograd.resume("run.pt", model=filled(1.0))


def test_a_name_of_full_length_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("r" * 252 + ".pt")

    zerograd.checkpoint(path, model=filled(1.0))

    assert value_in(path) == 1.0


def test_a_name_that_is_too_long_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / ("r" * 300)

    with pytest.raises(CheckpointError) as written:
        zerograd.checkpoint(path, model=filled(1.0))
    with pytest.raises(CheckpointError) as read:
        zerograd.resume(path, missing_ok=True, model=filled(1.0))

    assert str(written.value) == (
        f"{path} cannot be written (File name too long), and an older file is as it was; choose a "
        "shorter name"
    )
    assert str(read.value) == (
        f"{path} cannot be read (File name too long); see who owns it and where it leads"
    )


@pytest.mark.parametrize("call", [zerograd.checkpoint, zerograd.resume])
def test_a_name_that_no_file_can_have_is_a_sentence(call: Any) -> None:
    with pytest.raises(CheckpointError) as refused:
        call("run\0.pt", model=filled(1.0))

    assert str(refused.value) == "'run\\x00.pt' is no name of a file; name another"


def test_a_name_inside_a_file_is_never_taken_for_a_first_start(tmp_path: Path) -> None:
    zerograd.checkpoint(tmp_path / "run.pt", model=filled(1.0))
    path = tmp_path / "run.pt" / "run.pt"

    with pytest.raises(CheckpointError, match=r"cannot be written \(Not a directory\)"):
        zerograd.checkpoint(path, model=filled(1.0))
    with pytest.raises(CheckpointError, match="there is no folder"):
        zerograd.resume(path, missing_ok=True, model=filled(1.0))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.pt")

    with pytest.raises(CheckpointError) as refused:
        zerograd.resume(tmp_path / "run.pt", model=filled(1.0))

    assert str(refused.value) == (
        f"{tmp_path / 'run.pt'} is a device or a pipe; name the file that checkpoint() wrote"
    )


LOCKED_OUT = """
import os, sys, torch, zerograd
from zerograd.errors import CheckpointError
model = torch.nn.Linear(8, 1)
try:
    zerograd.resume("/dev/null", model=model)  # imports what nobody may not
except CheckpointError:
    pass
os.setgroups([])
os.setegid(65534)
os.seteuid(65534)
try:
    print(zerograd.resume(sys.argv[1], model=model, missing_ok=True))
except CheckpointError as error:
    print(error)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
def test_a_folder_that_may_not_be_entered_is_never_taken_for_a_first_start(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.pt"
    tmp_path.chmod(0o700)

    said = subprocess.run(
        [sys.executable, "-c", LOCKED_OUT, str(path)], capture_output=True, text=True, check=True
    )

    assert said.stdout == (
        f"{path} cannot be read (Permission denied); see who owns it and where it leads\n"
    )


def test_a_link_to_nothing_is_an_error_or_a_first_start(tmp_path: Path) -> None:
    link = tmp_path / "latest.pt"
    link.symlink_to("run-7.pt")

    with pytest.raises(CheckpointError) as refused:
        zerograd.resume(link, model=filled(1.0))

    assert str(refused.value) == (
        f"{link} is a link to {tmp_path / 'run-7.pt'}, which is not there; name the right file, "
        "or pass missing_ok=True to begin anew where there is none"
    )
    assert not zerograd.resume(link, missing_ok=True, model=filled(1.0))


def test_checksums_are_written_whatever_torch_is_set_to(tmp_path: Path) -> None:
    set_crc32_options(compute_crc32=False)

    zerograd.checkpoint(tmp_path / "run.pt", model=filled(1.0))
    after = get_crc32_options()
    set_crc32_options(compute_crc32=True)

    assert not after
    assert value_in(tmp_path / "run.pt") == 1.0


def test_another_default_device_changes_nothing(tmp_path: Path) -> None:
    model = filled(1.0)
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1), accumulate=2)
    gradients.backward(model(torch.ones(1, 8)).sum())

    with torch.device("meta"):
        zerograd.checkpoint(tmp_path / "run.pt", gradients, model=model)
        zerograd.resume(tmp_path / "run.pt", gradients, model=model)

    assert model.weight.grad is not None
    assert torch.equal(model.weight.grad, torch.ones(1, 8))
    gradients.discard()


def test_a_save_inside_a_micro_batch_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    model = filled(1.0)
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1))

    with gradients.micro_batch():
        gradients.backward(model(torch.ones(1, 8)).sum())
        with pytest.raises(ArgumentError, match="would end a micro-batch halfway"):
            zerograd.checkpoint(tmp_path / "run.pt", gradients, model=model)

    assert list(tmp_path.iterdir()) == []


def test_a_resume_while_others_save_gets_one_whole_state(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    zerograd.checkpoint(path, model=filled(0.0))
    stopping = threading.Event()

    def saves() -> None:
        number = 0.0
        while not stopping.is_set():
            number += 1
            zerograd.checkpoint(path, model=filled(number))

    thread = threading.Thread(target=saves)
    thread.start()
    seen = [value_in(path) for _ in range(40)]
    stopping.set()
    thread.join()

    assert seen == sorted(seen)
    assert seen[-1] > 1.0


def test_a_read_only_disk_is_a_sentence(tmp_path: Path) -> None:
    if not read_only(tmp_path):
        pytest.skip("only root may mount a read-only disk")

    with pytest.raises(CheckpointError) as refused:
        zerograd.checkpoint(tmp_path / "run.pt", model=filled(1.0))
    subprocess.run(["umount", str(tmp_path)], check=True)

    assert str(refused.value) == (
        f"{tmp_path / 'run.pt'} cannot be written (Read-only file system), and an older file is "
        "as it was; name a file in a folder that you may write to"
    )


def read_only(folder: Path) -> bool:
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(folder)]
    try:
        return subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
