"""Real runs of `zerograd watch` on torch: whatever ends a process, what it found is reported.

Each run costs an import of torch, so there are few, and each is looked at from several sides.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from warm_python import warm_python

if TYPE_CHECKING:
    from pathlib import Path

TRAINING = """
import multiprocessing, os, signal, subprocess, sys
import torch

torch.set_num_threads(1)

def train(steps=3):
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        model(torch.ones(4, 3)).mean().backward()
        optimizer.step()
"""

FAMILY = (
    TRAINING
    + """
def train_elsewhere(rank=0):
    train(4)

class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, index):
        return torch.ones(3)

if __name__ == "__main__":
    if "alone" in sys.argv:
        train(2)
        sys.exit()
    list(torch.utils.data.DataLoader(Rows(), num_workers=1))
    forked = multiprocessing.get_context("fork").Process(target=train_elsewhere)
    forked.start()
    forked.join()
    torch.multiprocessing.spawn(train_elsewhere, nprocs=1)
    bare = os.fork()
    if not bare:
        train_elsewhere()
        os._exit(0)
    os.waitpid(bare, 0)
    subprocess.run([sys.executable, __file__, "alone"])
    print("done")
"""
)


def watch(
    folder: Path, source: str, *options: str, python: str = sys.executable, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Watch a script and return how it ended and what was said."""
    (folder / "train.py").write_text(source)
    command = [python, "-m", "zerograd", "watch", "--preview", *options, "train.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, **more)


def findings(report: str) -> list[dict[str, Any]]:
    """Return the findings of a JSON report."""
    listed: list[dict[str, Any]] = json.loads(report[report.index("{") :])["findings"]
    return listed


def test_children_are_reported_with_their_process_and_never_twice(tmp_path: Path) -> None:
    run = watch(tmp_path, FAMILY, "-q", "--format", "json", python=warm_python())

    (found,) = findings(run.stdout)
    assert run.returncode == 0
    assert run.stdout.startswith("done\n")
    # Two of multiprocessing's, a bare fork and a subprocess; the loader's worker trains nothing.
    assert (found["code"], found["count"]) == ("ZG101", 3 + 3 + 3 + 1)
    assert found["process"] == "4 processes"


def test_a_script_that_kills_itself_loses_no_finding(tmp_path: Path) -> None:
    run = watch(tmp_path, TRAINING + "train(6)\nos.kill(os.getpid(), signal.SIGKILL)\n")

    assert run.returncode == -signal.SIGKILL
    assert "train.py:11:9: ZG101 missing-zero: " in run.stdout
    assert "note: the script ended abruptly: the counts are those of its step 4\n" in run.stdout
    assert run.stderr == ""


ENDINGS = (
    TRAINING
    + """
endings = [
    lambda: sys.exit(3),
    lambda: os._exit(4),
    lambda: os.kill(os.getpid(), signal.SIGTERM),
    lambda: os.kill(os.getpid(), signal.SIGKILL),
    lambda: 1 / 0,
]
statuses = []
for end in endings:
    child = os.fork()
    if not child:
        sys.stderr.close()
        train(4)
        end()
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(statuses, flush=True)
train(4)
raise KeyboardInterrupt
"""
)


def test_however_a_process_ends_its_findings_are_reported(tmp_path: Path) -> None:
    run = watch(tmp_path, ENDINGS, "-q", "--format", "json", python=warm_python())

    (found,) = findings(run.stdout)
    assert run.returncode == -signal.SIGINT
    assert run.stdout.startswith(f"[3, 4, {-signal.SIGTERM}, {-signal.SIGKILL}, 1]\n")
    assert (found["count"], found["process"]) == (6 * 3, "6 processes")
    assert run.stderr.endswith("\nKeyboardInterrupt\n")


def test_a_journal_that_a_full_disk_cuts_short_is_one_sentence(tmp_path: Path) -> None:
    # The first optimizer of a process makes torch look for a folder that it can write to.
    full = "train(1)\nimport resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"

    run = watch(tmp_path, TRAINING + full + "train(6)\nprint('done')\n", "-q", python=warm_python())

    assert run.returncode == 0
    assert run.stdout == "done\n"
    assert run.stderr == (
        "zerograd: this run was not watched to its end, and nothing of it is reported: "
        "its journal could not be kept: File too large\n"
    )


def test_an_exception_keeps_its_traceback_and_its_findings(tmp_path: Path) -> None:
    run = watch(
        tmp_path, TRAINING + "train(6)\nraise ValueError('boom')\n", "-q", python=warm_python()
    )

    assert run.returncode == 1
    assert run.stderr.startswith("Traceback (most recent call last):\n")
    assert run.stderr.endswith("\n    raise ValueError('boom')\nValueError: boom\n")
    assert "= happened: 5 times, steps 2 to 6\n" in run.stdout


def test_max_steps_ends_cleanly_and_strict_still_counts(tmp_path: Path) -> None:
    source = TRAINING + "try:\n    train(1000)\nfinally:\n    print('cleaned up')\n"

    run = watch(tmp_path, source, "--max-steps", "5", "--strict", "-q", python=warm_python())

    assert run.returncode == 1
    assert run.stderr == ""
    assert run.stdout.startswith("cleaned up\n")
    assert "= happened: 4 times, steps 2 to 5\n" in run.stdout
    assert "note: the script was stopped after 5 steps, as --max-steps asked\n" in run.stdout


def test_fail_fast_stops_with_a_traceback_at_the_line(tmp_path: Path) -> None:
    run = watch(tmp_path, TRAINING + "train(1000)\n", "--fail-fast", "-q", python=warm_python())

    assert run.returncode == 1
    assert '", line 12, in train\n    optimizer.step()\n' in run.stderr
    assert "zerograd.errors.FaultError: train.py:11: ZG101 missing-zero: " in run.stderr
    assert "= happened: once, step 2\n" in run.stdout


def test_what_a_killed_watcher_had_found_is_recovered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    killing = "train(6)\nos.kill(os.getppid(), signal.SIGKILL)\nsignal.pause()\n"

    killed = watch(tmp_path, TRAINING + killing, "-q")
    mentioned = watch(tmp_path, "print('another')", "--format", "concise")
    recovered = watch(tmp_path, "", "--recover", "--format", "concise")
    forgotten = watch(tmp_path, "", "--recover")

    assert killed.returncode == -signal.SIGKILL
    assert mentioned.stderr.startswith("zerograd: `train.py`, started ")
    assert (
        ", was killed and had found 1 error; `zerograd watch --recover` shows them\n"
        in mentioned.stderr
    )
    assert recovered.stdout.startswith("train.py:11:9: ZG101 missing-zero: ")
    assert forgotten.stderr == "zerograd: no killed run has left anything behind\n"


@pytest.mark.parametrize("begin", ["", "zerograd.watch()\n"])
def test_a_script_that_ctrl_c_ended_ends_so_after_its_report(tmp_path: Path, begin: str) -> None:
    source = f"import zerograd\n{begin}{TRAINING}train(4)\nraise KeyboardInterrupt\n"
    (tmp_path / "train.py").write_text(source)

    run = subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True)

    # Without a report Python ends by the signal, or by 1 where a library ran code at its end.
    assert run.returncode in ((-signal.SIGINT,) if begin else (-signal.SIGINT, 1))
    assert ("ZG101 missing-zero" in run.stderr) is bool(begin)
