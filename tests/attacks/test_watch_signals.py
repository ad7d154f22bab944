"""Whoever a signal is sent to, the script receives it exactly once, as it does bare."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# Counts what it receives until nothing more has come for a while after the first.
COUNTING = """
import os, signal, sys, time

received = []
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"):
    signal.signal(getattr(signal, name), lambda number, frame: received.append(number))
print(os.getpid(), flush=True)
while not received:
    time.sleep(0.01)
deadline = time.monotonic() + 1.5
while time.monotonic() < deadline:
    time.sleep(0.01)
print(*(signal.Signals(number).name for number in received), flush=True)
"""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A script under watch, in a process group of its own, that waits for a signal."""
    (tmp_path / "counting.py").write_text(COUNTING)
    command = [sys.executable, "-m", "zerograd", "watch", "-q", "counting.py"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as process:
        yield process
        process.kill()


def script_of(process: subprocess.Popen[str]) -> int:
    """Wait until the script is ready, and return its process id."""
    assert process.stdout is not None
    script = int(process.stdout.readline())
    time.sleep(0.5)  # the watcher has started whatever else it needs
    return script


@contextmanager
def a_slow(watcher: subprocess.Popen[str]) -> Iterator[None]:
    """Let the script handle what comes before the watcher does: two at once look like one."""
    watcher.send_signal(signal.SIGSTOP)
    yield
    time.sleep(0.3)
    watcher.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_to_the_group_is_received_once(
    watched: subprocess.Popen[str], number: signal.Signals
) -> None:
    script_of(watched)

    with a_slow(watched):
        os.killpg(watched.pid, number)
    said, _ = watched.communicate()

    assert said == f"{number.name}\n"
    assert watched.returncode == 0


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_to_the_watcher_alone_is_received_once(
    watched: subprocess.Popen[str], number: signal.Signals
) -> None:
    script_of(watched)

    watched.send_signal(number)
    said, _ = watched.communicate()

    assert said == f"{number.name}\n"
    assert watched.returncode == 0


def test_a_signal_to_the_script_alone_is_received_once(watched: subprocess.Popen[str]) -> None:
    script = script_of(watched)

    os.kill(script, signal.SIGTERM)
    said, _ = watched.communicate()

    assert said == "SIGTERM\n"


def test_one_signal_to_the_group_and_one_to_the_watcher_are_two(
    watched: subprocess.Popen[str],
) -> None:
    script_of(watched)

    os.killpg(watched.pid, signal.SIGTERM)
    time.sleep(0.5)
    watched.send_signal(signal.SIGTERM)
    said, _ = watched.communicate()

    assert said == "SIGTERM SIGTERM\n"


def test_a_signal_to_everything_that_names_the_script_is_received_once(
    watched: subprocess.Popen[str], tmp_path: Path
) -> None:
    script_of(watched)

    with a_slow(watched):
        for process in naming("counting.py", tmp_path):  # as `pkill -f counting.py`
            os.kill(process, signal.SIGTERM)
    said, _ = watched.communicate()

    assert said == "SIGTERM\n"


def test_a_signal_to_everything_that_names_us_is_received_once(
    watched: subprocess.Popen[str], tmp_path: Path
) -> None:
    script_of(watched)

    for process in naming("zerograd\0watch", tmp_path):  # as `pkill -f "zerograd watch"`
        os.kill(process, signal.SIGTERM)
    said, _ = watched.communicate()

    assert said == "SIGTERM\n"


def naming(words: str, folder: Path) -> list[int]:
    """Return the processes of this test whose command line has these words."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_text(errors="replace")
            here = (process / "cwd").readlink() == folder
        except OSError:
            continue
        if here and words in command:
            found.append(int(process.name))
    return sorted(found)


def still_there(processes: list[int], limit: float = 30) -> list[int]:
    """Return which processes have not ended in time: a dying one closes its files first."""
    deadline = time.monotonic() + limit
    while any(map(is_running, processes)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [process for process in processes if is_running(process)]


def is_running(process: int) -> bool:
    """Tell whether a process lives; one that waits to be reaped does not."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def test_a_process_that_lives_on_is_still_there() -> None:
    assert still_there([os.getpid()], limit=0.1) == [os.getpid()]


def test_nothing_of_ours_outlives_a_watcher_that_is_killed(
    watched: subprocess.Popen[str], tmp_path: Path
) -> None:
    script_of(watched)

    watched.kill()
    watched.wait()

    assert watched.stdout is not None
    assert watched.stdout.read() == ""  # ends when the last holder of the pipe has closed it
    assert still_there(naming("", tmp_path)) == []


def test_a_script_that_left_our_group_is_reached_by_what_is_sent_to_us(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(
        COUNTING.replace("received = []", "received = []\nos.setsid()")
    )
    command = [sys.executable, "-m", "zerograd", "watch", "-q", "counting.py"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        script_of(process)
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate()

    assert said == "SIGTERM\n"
