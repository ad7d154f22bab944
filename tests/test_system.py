"""The portable half of what differs between systems, tried where the other half is at hand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from zerograd import system
from zerograd.watch.process.multi_process_run import launch_here

if TYPE_CHECKING:
    from pathlib import Path

WITHOUT_SIGWAIT = (
    "import signal, sys; del signal.sigwaitinfo\n"
    "from zerograd.__main__ import main\nsys.exit(main())"
)
"""macOS and Windows cannot wait for signals; this is `zerograd` there."""


def watcher(folder: Path, script: str) -> subprocess.Popen[str]:
    (folder / "train.py").write_text(script, "utf-8")
    return subprocess.Popen(
        [sys.executable, "-c", WITHOUT_SIGWAIT, "watch", "train.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(path: Path) -> None:
    for _ in range(2000):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(path)


def test_without_locks_nobody_holds_a_file_and_every_watcher_is_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "fcntl", None)
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "one")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    descriptor = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)

    system.share_lock(descriptor)
    system.unlock(descriptor)
    taken = system.try_lock(descriptor)
    os.close(descriptor)

    assert not system.has_locks()
    assert not taken
    assert launch_here() is None


def test_with_locks_a_file_is_held_by_one(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))

    taken = system.try_lock(first), system.try_lock(second)
    os.close(first)
    os.close(second)

    assert taken == (True, False)


REGISTERED = """
import os, sys
from zerograd import system
if "without" in sys.argv:
    del os.register_at_fork
system.in_forked_children(lambda: os.write(1, b"called"))
if os.fork() == 0:
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize(("how", "said"), [("with", "called"), ("without", "")])
def test_a_forked_child_is_told_where_children_can_be_registered(how: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REGISTERED, how], capture_output=True, text=True, check=True
    )

    assert done.stdout == said


def test_users_without_numbers_are_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getuid")

    assert system.user_number() == 0


def test_only_linux_is_asked_to_kill_the_child_with_its_parent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    assert system.death_wish() is system._nothing


def test_a_script_is_watched_where_signals_cannot_be_waited_for(tmp_path: Path) -> None:
    child = watcher(tmp_path, "import sys\nsys.exit(3)\n")

    said, _ = child.communicate()

    assert child.returncode == 3
    assert "the script never imported torch" in said


@pytest.mark.parametrize(
    ("number", "group"), [(signal.SIGTERM, False), (signal.SIGINT, True)], ids=["TERM", "INT"]
)
def test_a_signal_reaches_the_script_once_and_the_report_comes_after_it(
    tmp_path: Path, number: signal.Signals, group: bool
) -> None:
    script = (
        "import signal, sys, time\nfrom pathlib import Path\n"
        f"signal.signal({int(number)}, lambda *_: (print('got it', flush=True), sys.exit(5)))\n"
        "Path('ready').touch()\nfor _ in range(2000): time.sleep(0.05)\n"
    )
    child = watcher(tmp_path, script)
    until(tmp_path / "ready")

    send = os.killpg if group else os.kill
    send(child.pid, number)
    said, _ = child.communicate()

    assert child.returncode == 5
    assert said.count("got it") == 1
    assert said.index("got it") < said.index("the script never imported torch")


def test_a_console_of_cp1252_prints_what_it_can(tmp_path: Path) -> None:
    (tmp_path / "训练.py").write_text(
        "import torch\nmodel = torch.nn.Linear(1, 1)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for _ in range(9):\n    loss = model(torch.ones(1)).sum()  # ∇\n    loss.backward()\n"
        "    optimizer.step()\n",
        "utf-8",
    )

    done = subprocess.run(
        [sys.executable, "-m", "zerograd", "lint", "--isolated", "."],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
    )

    assert done.returncode == 1
    assert b"ZG101 missing-zero" in done.stdout
    assert b"Traceback" not in done.stderr
