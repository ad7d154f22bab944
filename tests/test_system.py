"""The portable half of what differs between systems, tried where the other half is at hand."""

from __future__ import annotations

import ast
import ntpath
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import torch
from torch.nn import Linear

from zerograd import system
from zerograd.atomic import write_atomically
from zerograd.errors import ArgumentError
from zerograd.lint.program import display_paths
from zerograd.lint.shell.files import git
from zerograd.reports.place import is_absolute
from zerograd.settings.trust import is_ours
from zerograd.testing import assert_same_gradients
from zerograd.watch.process.multi_process_run import launch_here

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(system.__file__).parent

OF_SOME_SYSTEMS = {"fcntl", "grp", "msvcrt", "pwd", "resource", "signal", "termios", "winreg"}
"""Modules that not every system has, or that hold something else on each."""

NOT_EVERYWHERE = {
    *("fork", "register_at_fork", "wait", "waitid", "killpg", "setsid", "getpgid", "getpgrp"),
    *("getuid", "geteuid", "getgid", "setuid", "chown", "fchown", "fchmod", "umask"),
    *("listxattr", "getxattr", "setxattr", "sched_getaffinity", "uname", "statvfs", "mkfifo"),
    *("O_NONBLOCK", "O_NOFOLLOW", "O_DIRECTORY", "O_PATH", "O_CLOEXEC", "O_BINARY", "name"),
}
"""Names of `os` that Windows or macOS lacks, and the one that tells which it is."""

STARTED_SO = {"preexec_fn", "start_new_session", "process_group", "pass_fds", "creationflags"}

EXCEPTIONS = {
    "watch/process/signal_scope.py": "Linux alone reaches it: system.waits_for_signals()",
    "testing/ranks.py": "forks where system.can_fork(), and else says that it cannot",
}

WITHOUT_SIGWAIT = (
    "import signal, sys; del signal.sigwaitinfo\n"
    "from zerograd.__main__ import main\nsys.exit(main())"
)
"""macOS and Windows cannot wait for signals; this is `zerograd` there."""


def asked_of_the_system(source: str) -> Iterator[str]:
    """Yield what a module asks that not every system answers.

    `getattr(os, "O_NOFOLLOW", 0)` is the portable way itself, and is not yielded.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from ({one.name for one in names} & OF_SOME_SYSTEMS)
            case ast.ImportFrom(module=str(module)) if module in OF_SOME_SYSTEMS:
                yield module
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in NOT_EVERYWHERE:
                yield f"os.{name}"
            case ast.Attribute(value=ast.Name(id="sys"), attr="platform"):
                yield "sys.platform"
            case ast.Attribute(attr="CDLL" | "WinDLL" as name):
                yield name
            case (
                ast.Call(func=ast.Name(id="hasattr"), args=[ast.Name(id="os" | "sys"), _])
                | ast.Call(args=[ast.Constant(value="fork"), *_])
            ):
                yield ast.unparse(node)
            case ast.keyword(arg=str(name)) if name in STARTED_SO:
                yield name
            case ast.Constant(value=str(text)) if text.startswith(("/proc", "/dev/", "/sys/")):
                yield text


def test_one_module_asks_what_a_system_can_do() -> None:
    found = {
        path.relative_to(SOURCES).as_posix(): sorted(set(asked_of_the_system(path.read_text())))
        for path in SOURCES.rglob("*.py")
    }

    asking = {path for path, asked in found.items() if asked}
    assert asking - EXCEPTIONS.keys() == {"system.py"}
    assert EXCEPTIONS.keys() <= asking


def test_comparing_ranks_says_where_it_cannot_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")

    with pytest.raises(ArgumentError) as refused:
        assert_same_gradients(
            Linear(2, 1), lambda model, part: model(part).sum(), torch.ones(4, 2), ranks=2
        )

    assert str(refused.value) == (
        "ranks= runs each part in a fork of this process, and this system cannot fork; "
        "leave ranks= out"
    )


def test_without_owners_every_file_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getuid")

    assert is_ours(tmp_path / "no such file", tmp_path)


def test_without_owners_modes_and_masks_a_file_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("fchown", "fchmod", "listxattr"):
        monkeypatch.delattr(os, name)
    monkeypatch.delattr(signal, "pthread_sigmask")
    (tmp_path / "train.py").write_bytes(b"before")

    write_atomically(tmp_path / "train.py", b"after", expected=b"before")

    assert (tmp_path / "train.py").read_bytes() == b"after"


def test_without_affinity_every_processor_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")

    assert system.processors() == os.cpu_count()


WINDOWS = SimpleNamespace(
    path=ntpath, sep="\\", getcwd=lambda: "C:\\work\\", fsencode=lambda path: path.encode()
)
"""What `os` is there, as far as paths are concerned."""


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("C:\\work\\src\\train.py", "src/train.py"),
        ("C:\\worker\\train.py", "C:/worker/train.py"),
        ("D:\\data\\train.py", "D:/data/train.py"),
    ],
)
def test_a_path_with_a_drive_and_backslashes_is_shown_with_slashes(
    path: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display_paths, "os", WINDOWS)
    monkeypatch.setattr(git, "os", WINDOWS)

    assert display_paths.shown(path) == told
    assert git.as_git(path) == path.replace("\\", "/").encode()
    assert is_absolute(told) is (":" in told)


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
