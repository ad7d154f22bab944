"""`zerograd watch`: what it refuses, what it passes on, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from zerograd.cli import main


def zerograd(*arguments: str) -> list[str]:
    """Return the command line that runs zerograd in a process of its own."""
    return [sys.executable, "-m", "zerograd", "watch", *arguments]


def watch(folder: Path, source: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Watch a script that does not import torch: starting one is cheap."""
    (folder / "script.py").write_text(source)
    command = zerograd(*arguments, "script.py") if "-m" not in arguments else zerograd(*arguments)
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the sentence with which a command line is refused."""
    status = main(["watch", *arguments])

    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    return err


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_no_script_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys) == (
        "zerograd: name a script: zerograd watch train.py\nTry `zerograd watch --help`.\n"
    )


def test_a_missing_script_is_a_sentence(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, "train.py") == (
        f"zerograd: there is no script 'train.py' in {here}; check its path\n"
    )


def test_a_folder_without_main_is_a_sentence(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "package").mkdir()

    assert refusal(capsys, "package") == (
        "zerograd: 'package' is a folder without a __main__.py; name a script, or -m MODULE\n"
    )


def test_a_script_that_is_no_python_is_a_sentence(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "train.py").write_text("import torch\nx = (\n")

    assert refusal(capsys, "train.py") == (
        "zerograd: train.py:2 is not valid Python: '(' was never closed\n"
    )


def test_a_script_that_is_no_text_is_a_sentence(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "model.pt").write_bytes(b"\x80\x02\x00\x01")

    assert refusal(capsys, "model.pt") == (
        "zerograd: model.pt is not valid Python: source code string cannot contain null bytes\n"
    )


def test_a_script_that_cannot_be_read_is_a_sentence(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "train.py").write_text("")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything

    assert refusal(capsys, "train.py") == (
        "zerograd: 'train.py' cannot be read; check its permissions\n"
    )


def test_a_notebook_is_a_sentence(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "train.ipynb").write_text('{"cells": []}')

    assert refusal(capsys, "train.ipynb") == (
        "zerograd: 'train.ipynb' is a notebook; write `import zerograd; zerograd.watch()` "
        "in its first cell instead\n"
    )


def test_no_module_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, "-m") == "zerograd: option '-m' requires an argument\n"


def test_no_steps_at_all_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, "--max-steps", "0", "train.py") == (
        "zerograd: invalid value for '--max-steps': 0 is not in the range x>=1\n"
        "Try `zerograd watch --help`.\n"
    )


def test_an_output_that_cannot_be_written_is_refused_before_the_run(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "train.py").write_text("open('ran', 'w')\n")

    said = refusal(capsys, "--output", "missing/report.json", "train.py")

    assert said == (
        "zerograd: cannot write missing/report.json; name a file in a folder that can be written\n"
    )
    assert not (here / "ran").exists()


def test_a_broken_configuration_is_a_sentence(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "zerograd.toml").write_text("selct = []\n")

    assert refusal(capsys, "train.py").startswith("zerograd: zerograd.toml: unknown key 'selct'")


def test_an_option_that_is_misspelt_is_not_taken_for_the_script(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert refusal(capsys, "--stric", "train.py") == (
        "zerograd: no such option '--stric'. Did you mean '--strict'?\n"
        "Try `zerograd watch --help`.\n"
    )


def test_python_without_torch_is_a_sentence(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "train.py").write_text("")
    monkeypatch.setattr("zerograd.cli.watch_run.find_spec", lambda _: None)

    assert refusal(capsys, "train.py") == (
        f"zerograd: watching needs PyTorch, and {sys.executable} has none; pip install torch\n"
    )


def test_the_script_gets_its_own_arguments_and_main(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import sys; print(__name__, sys.argv)")
    command = zerograd("-q", "script.py", "--strict", "--", "-q")

    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert run.stdout == "__main__ ['script.py', '--strict', '--', '-q']\n"


def test_a_module_gets_everything_after_its_name(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys; print(__name__, sys.argv[1:])")
    command = zerograd("--format", "concise", "-q", "-m", "train", "--max-steps", "3")

    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert run.stdout == "__main__ ['--max-steps', '3']\n"


def test_a_script_without_torch_is_one_note(tmp_path: Path) -> None:
    run = watch(tmp_path, "print('hello')")

    assert run.returncode == 0
    assert run.stdout == (
        "hello\n"
        "note: the script never imported torch: there was nothing to watch\n"
        "Found nothing; no step to check.\n"
    )
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("import sys; sys.exit(3)", 3),
        ("raise ValueError('boom')", 1),
        ("import os; os._exit(4)", 4),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("raise KeyboardInterrupt", -signal.SIGINT),
    ],
)
def test_it_ends_like_the_script(tmp_path: Path, source: str, status: int) -> None:
    bare = subprocess.run([sys.executable, "-c", source], capture_output=True)

    run = watch(tmp_path, source, "-q")

    assert run.returncode == bare.returncode == status


WAITING = """
import os, signal, sys, time
def end(number, frame):
    os.write(1, f"got {signal.Signals(number).name}\\n".encode())
    sys.exit(5)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, end)
os.write(1, f"{os.getpid()}\\n".encode())
for _ in range(1200):
    time.sleep(0.05)
"""
"""It writes past Python's buffer, which a handler may not enter twice, and sleeps in short turns:
a signal just before a sleep waits for its end."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_us_alone_reaches_the_script(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "script.py").write_text(WAITING)

    with subprocess.Popen(
        zerograd("-q", "script.py"), cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        said, _ = process.communicate()

    assert said == f"got {number.name}\n"
    assert process.returncode == 5


def test_ctrl_c_on_the_terminal_reaches_the_script_once(tmp_path: Path) -> None:
    source = WAITING.replace("sys.exit(5)", "time.sleep(0.2); os._exit(5)")
    (tmp_path / "script.py").write_text(source)
    leader, terminal = os.openpty()

    with subprocess.Popen(
        [sys.executable, "-c", CONTROLLED, *zerograd("-q", "script.py")],
        cwd=tmp_path,
        stdin=terminal,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.write(leader, b"\x03")
        said, _ = process.communicate()
    os.close(leader)
    os.close(terminal)

    assert said == "got SIGINT\n"
    assert process.returncode == 5


# Makes its standard input the controlling terminal, then becomes the command.
CONTROLLED = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_a_script_dies_with_a_watcher_that_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "script.py").write_text(WAITING)

    with subprocess.Popen(
        zerograd("-q", "script.py"), cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        script = int(process.stdout.readline())
        process.kill()

    assert has_ended(script)


def has_ended(pid: int) -> bool:
    """Wait a little for a process that is not ours to end."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_report_that_nobody_reads_leaves_the_script_its_status(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import os, sys; os.close(1); sys.exit(3)")

    with open("/dev/full", "w") as full:  # noqa: PTH123  a device, not a path to handle
        run = subprocess.run(
            zerograd("script.py"), cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True
        )

    assert run.returncode == 3
    assert run.stderr == "zerograd: cannot write the report: No space left on device\n"


def test_nothing_to_recover_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    run = subprocess.run(zerograd("--recover"), capture_output=True, text=True)

    assert (run.returncode, run.stdout) == (0, "")
    assert run.stderr == "zerograd: no killed run has left anything behind\n"
