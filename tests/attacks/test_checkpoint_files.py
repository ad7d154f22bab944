"""Checkpoint files under attack: writers that meet, full disks, planted links, foreign owners."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from checkpoint_cases import Training
from torch import nn

import zerograd
from zerograd.errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Iterator

ALIKE = 200_000
"""Elements of the saved tensor: enough for two writers to be at work at the same time."""

WRITER = f"""
import sys, torch, zerograd
model = torch.nn.Linear({ALIKE}, 1, bias=False)
path, number, saves = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(saves):
    torch.nn.init.constant_(model.weight, number)
    zerograd.checkpoint(path, model=model)
"""


def filled(value: float) -> nn.Linear:
    model = nn.Linear(8, 1, bias=False)
    nn.init.constant_(model.weight, value)
    return model


def value_in(path: Path) -> float:
    model = filled(-1.0)
    zerograd.resume(path, model=model)
    return float(model.weight.detach()[0, 0])


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def writers(path: Path, saves: int) -> list[subprocess.Popen[str]]:
    """Start two processes, and let them save when both are ready."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(number), str(saves)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        for number in (1, 2)
    ]
    for one in started:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in started:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    return started


def test_two_processes_that_save_to_one_path_never_publish_a_torn_file(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    model = nn.Linear(ALIKE, 1, bias=False)
    seen = []

    started = writers(path, 25)
    while any(one.poll() is None for one in started):
        if zerograd.resume(path, missing_ok=True, model=model):
            seen.append({*model.weight.flatten()[[0, ALIKE // 2, -1]].tolist()})
    for one in started:
        one.communicate()

    assert [one.returncode for one in started] == [0, 0]
    assert len(seen) > 3
    assert all(values in ({1.0}, {2.0}) for values in seen)
    assert names(tmp_path) == ["run.pt"]


def test_threads_that_save_to_one_path_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    models = [filled(float(number)) for number in range(4)]

    def save(model: nn.Module) -> None:
        for _ in range(10):
            zerograd.checkpoint(path, model=model)

    threads = [threading.Thread(target=save, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert value_in(path) in {0.0, 1.0, 2.0, 3.0}
    assert names(tmp_path) == ["run.pt"]


def test_a_planted_link_of_the_partial_name_leaves_its_target_alone(tmp_path: Path) -> None:
    victim = tmp_path / "precious.txt"
    victim.write_text("precious")
    (tmp_path / "run.pt.partial").symlink_to(victim)

    zerograd.checkpoint(tmp_path / "run.pt", model=filled(1.0))

    assert victim.read_text() == "precious"
    assert value_in(tmp_path / "run.pt") == 1.0


def test_what_a_killed_save_left_is_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    killed = (
        "import os, signal, sys, torch, zerograd\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "zerograd.checkpoint(sys.argv[1], model=torch.nn.Linear(8, 1))\n"
    )

    ended = subprocess.run([sys.executable, "-c", killed, str(path)], check=False)
    left = names(tmp_path)
    zerograd.checkpoint(path, model=filled(1.0))

    assert ended.returncode == -signal.SIGKILL
    assert len(left) == 1
    assert names(tmp_path) == ["run.pt"]


def test_planted_leftovers_of_every_kind_are_neither_followed_nor_waited_for(
    tmp_path: Path,
) -> None:
    victim = tmp_path / "precious.txt"
    victim.write_text("precious")
    (tmp_path / ".zerograd-link.partial").symlink_to(victim)
    os.mkfifo(tmp_path / ".zerograd-pipe.partial")
    (tmp_path / ".zerograd-folder.partial").mkdir()

    zerograd.checkpoint(tmp_path / "run.pt", model=filled(1.0))

    assert victim.read_text() == "precious"
    assert value_in(tmp_path / "run.pt") == 1.0


@pytest.fixture
def file_limit() -> Iterator[None]:
    """No file may grow beyond 100 kB: a write fails as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("file_limit")
def test_a_file_that_may_not_grow_is_a_sentence_and_the_older_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    zerograd.checkpoint(path, model=filled(1.0))

    with pytest.raises(CheckpointError) as refused:
        zerograd.checkpoint(path, model=nn.Linear(100_000, 1))

    assert str(refused.value) == (
        f"{path} cannot be written (File too large), and an older file is as it was; raise the "
        "limit: ulimit -f unlimited"
    )
    assert names(tmp_path) == ["run.pt"]
    assert value_in(path) == 1.0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_a_sentence_and_nothing_is_left(small_disk: Path) -> None:
    path = small_disk / "run.pt"
    zerograd.checkpoint(path, model=filled(1.0))

    with pytest.raises(CheckpointError) as refused:
        zerograd.checkpoint(path, model=nn.Linear(1_000_000, 1))

    assert str(refused.value) == (
        f"{path} cannot be written (No space left on device), and an older file is as it was; "
        "free some space, or name a file on another disk"
    )
    assert names(small_disk) == ["run.pt"]
    assert value_in(path) == 1.0


@pytest.mark.parametrize("failing", ["write", "fsync", "replace"])
def test_a_disk_that_fills_at_any_moment_leaves_nothing(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.pt"
    zerograd.checkpoint(path, model=filled(1.0))

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    patched = {"write": (torch, "save"), "fsync": (os, "fsync"), "replace": (os, "replace")}
    monkeypatch.setattr(*patched[failing], full)
    with pytest.raises(CheckpointError, match=r"cannot be written \(No space left on device\)"):
        zerograd.checkpoint(path, model=filled(2.0))
    monkeypatch.undo()

    assert names(tmp_path) == ["run.pt"]
    assert value_in(path) == 1.0


NOBODY = """
import os, sys, tempfile, torch, zerograd
from zerograd.errors import CheckpointError
model = torch.nn.Linear(8, 1)
zerograd.checkpoint(tempfile.mkdtemp() + "/warm.pt", model=model)  # imports what nobody may not
os.setgroups([])
os.setegid(65534)
os.seteuid(65534)
try:
    zerograd.checkpoint(sys.argv[1], model=model)
except CheckpointError as error:
    print(error)
"""


def saved_by_nobody(path: Path) -> str:
    """Save in a process that gives up root's rights, which would open every file."""
    if os.geteuid() != 0:
        pytest.skip("only root may become somebody else")
    done = subprocess.run(
        [sys.executable, "-c", NOBODY, str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may reach: pytest's own ones are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def test_a_folder_that_may_not_be_written_is_a_sentence(open_folder: Path) -> None:
    path = open_folder / "run.pt"

    said = saved_by_nobody(path)

    assert said == (
        f"{path} cannot be written (Permission denied), and an older file is as it was; name a "
        "file that you may write, in a folder that you may write to\n"
    )
    assert names(open_folder) == []


def test_a_file_that_may_not_be_written_is_not_replaced_in_a_folder_that_may(
    open_folder: Path,
) -> None:
    path = open_folder / "run.pt"
    zerograd.checkpoint(path, model=filled(1.0))
    path.chmod(0o644)
    open_folder.chmod(0o777)

    said = saved_by_nobody(path)

    assert said == (
        f"{path} cannot be written (Permission denied), and an older file is as it was; name a "
        "file that you may write, in a folder that you may write to\n"
    )
    assert value_in(path) == 1.0


def test_a_private_file_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    zerograd.checkpoint(path, model=filled(1.0))
    path.chmod(0o600)

    zerograd.checkpoint(path, model=filled(2.0))

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert value_in(path) == 2.0


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)

    zerograd.checkpoint(tmp_path / "run.pt", model=filled(1.0))
    os.umask(before)

    assert stat.S_IMODE((tmp_path / "run.pt").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    zerograd.checkpoint(path, model=filled(1.0))
    os.chown(path, 65534, 65534)

    zerograd.checkpoint(path, model=filled(2.0))

    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)


def test_a_group_that_cannot_be_kept_is_not_replaced_by_one_that_may_read(
    open_folder: Path,
) -> None:
    path = open_folder / "run.pt"
    zerograd.checkpoint(path, model=filled(1.0))
    path.chmod(0o662)
    open_folder.chmod(0o777)

    said = saved_by_nobody(path)

    assert said == ""
    assert path.stat().st_uid == 65534
    assert stat.S_IMODE(path.stat().st_mode) == 0o602


def test_a_link_is_written_through_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    real, link = tmp_path / "disk" / "real.pt", tmp_path / "run.pt"
    zerograd.checkpoint(real, model=filled(1.0))
    link.symlink_to(Path("disk") / "real.pt")

    zerograd.checkpoint(link, model=filled(2.0))

    assert link.is_symlink()
    assert not real.is_symlink()
    assert value_in(real) == 2.0
    assert names(tmp_path) == ["disk", "run.pt"]
    assert names(tmp_path / "disk") == ["real.pt"]


def test_a_link_to_nothing_yet_gets_its_target(tmp_path: Path) -> None:
    link = tmp_path / "run.pt"
    link.symlink_to("real.pt")

    zerograd.checkpoint(link, model=filled(2.0))

    assert link.is_symlink()
    assert value_in(tmp_path / "real.pt") == 2.0


def test_links_that_go_round_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pt").symlink_to("b.pt")
    (tmp_path / "b.pt").symlink_to("a.pt")
    path = tmp_path / "a.pt"

    with pytest.raises(CheckpointError) as refused:
        zerograd.checkpoint(path, model=filled(1.0))
    with pytest.raises(CheckpointError, match="cannot be read"):
        zerograd.resume(path, missing_ok=True, model=filled(1.0))

    assert str(refused.value) == (
        f"{path} cannot be written (Too many levels of symbolic links), and an older file is as "
        "it was; name another file"
    )
    assert path.is_symlink()


def test_a_hard_link_keeps_the_older_checkpoint(tmp_path: Path) -> None:
    path, kept = tmp_path / "run.pt", tmp_path / "best.pt"
    zerograd.checkpoint(path, model=filled(1.0))
    os.link(path, kept)

    zerograd.checkpoint(path, model=filled(2.0))

    assert (value_in(path), value_in(kept)) == (2.0, 1.0)


def test_a_state_that_could_not_be_read_back_is_not_published(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    training = Training()
    training.save(path)
    before = path.read_bytes()
    training.place.best = np.float64(0.5)

    with pytest.raises(CheckpointError) as refused:
        training.save(path)

    assert str(refused.value) == (
        f"{path} cannot be written: place= holds something that only "
        "numpy._core.multiarray.scalar and numpy.dtype could read back, and reading a checkpoint "
        "runs no code; let its state_dict() return tensors, numbers and text"
    )
    assert path.read_bytes() == before
    assert names(tmp_path) == ["run.pt"]


def test_a_state_that_cannot_be_pickled_is_refused_with_its_name(tmp_path: Path) -> None:
    training = Training()
    training.place.best = lambda: None

    with pytest.raises(CheckpointError) as refused:
        training.save(tmp_path / "run.pt")

    assert str(refused.value) == (
        f"{tmp_path / 'run.pt'} cannot be written: place= holds something that cannot be pickled; "
        "let its state_dict() return tensors, numbers and text"
    )
    assert names(tmp_path) == []


def test_an_interrupt_in_mid_save_leaves_the_older_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    zerograd.checkpoint(path, model=filled(1.0))

    class Interrupted(nn.Module):
        def state_dict(self, *_: Any, **__: Any) -> Any:
            return {"weight": Stops()}

    class Stops:
        def __reduce__(self) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        zerograd.checkpoint(path, model=Interrupted())

    assert names(tmp_path) == ["run.pt"]
    assert value_in(path) == 1.0
