"""Real runs in which a part of watch breaks: the script's output and status, and one sentence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from warm_python import warm_python
from watched_programs import FAULT, TRAINING, run_python

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

SCRIPT = (
    TRAINING
    + """
torch.manual_seed(0)
train(5)
patched = [hasattr(one, "__wrapped__") for one in (torch.autograd._engine_run_backward, os.execv)]
print(patched, torch.rand(1), flush=True)
sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
"""
)

# Python runs this by itself in the watcher and in the script: it breaks one function of ours.
BREAKING = """
from zerograd.watch.process.torch_import import when_imported

def breaks(*_, **__):
    raise {error}

def break_it():
    import sys
    *path, last = "{name}".split(".")
    owner = sys.modules["{module}"]
    for part in path:
        owner = getattr(owner, part)
    setattr(owner, last, breaks)

when_imported("{module}", break_it)
"""

MISTAKE = "RuntimeError('broken on purpose')"
BUG = "a bug of ours: RuntimeError: broken on purpose"
FULL_DISK = "OSError(28, 'No space left on device')"
SENTENCE = "zerograd: this run was not watched to its end, and nothing of it is reported: "


def watch_broken(
    folder: Path, module: str, name: str, *options: str, error: str = MISTAKE, status: str = "3"
) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(SCRIPT)
    (folder / "own").mkdir()
    broken = BREAKING.format(module=f"zerograd.{module}", name=name, error=error)
    (folder / "own" / "sitecustomize.py").write_text(broken)
    command = ("-m", "zerograd", "watch", *options, "train.py", status)
    paths = os.pathsep.join([str(folder / "own"), os.environ.get("PYTHONPATH", "")])
    return run_python(folder, *command, python=warm_python(), PYTHONPATH=paths.rstrip(os.pathsep))


@pytest.mark.parametrize(
    ("module", "name", "patched"),
    [
        ("watch.process.reporter", "Reporter.__init__", False),
        ("watch.process.session", "Session._listen", False),
        ("watch.process.reporter", "Reporter.snapshot", False),
        (
            "watch.process.reporter",
            "Reporter._ending",
            True,
        ),  # not yet broken when the script looks
        ("watch.process.gather_journals", "partings", True),
        ("reports.full", "render", True),
    ],
)
def test_what_breaks_in_a_run_is_one_sentence(
    tmp_path: Path, module: str, name: str, patched: bool
) -> None:
    run = watch_broken(tmp_path, module, name, "-q")

    assert run.stderr == f"{SENTENCE}{BUG}\n"
    assert run.stdout == f"{[patched, patched]} tensor([0.3074])\n"
    assert run.returncode == 3
    assert not [*tmp_path.glob("zerograd-watch-*")]


def test_an_early_notice_that_breaks_is_one_sentence(tmp_path: Path) -> None:
    run = watch_broken(tmp_path, "watch.report.early_notices", "EarlyNotices.found")

    assert run.stderr == f"{SENTENCE}{BUG}\n"
    assert run.returncode == 3


def test_a_journal_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    run = watch_broken(
        tmp_path,
        "watch.process.journal",
        "Journal._write_out",
        "-q",
        "--strict",
        error=FULL_DISK,
        status="0",
    )

    assert run.stderr == f"{SENTENCE}its journal could not be kept: No space left on device\n"
    assert run.returncode == 2  # strict: a run that was not watched is no run without findings


def test_a_drawing_that_breaks_leaves_the_report(tmp_path: Path) -> None:
    run = watch_broken(tmp_path, "cli.watch_run", "with_repairs", "-q", "--html", "run.html")

    assert FAULT in run.stdout
    assert run.stderr == (
        "zerograd: cannot draw run.html, by a bug of ours: RuntimeError: broken on purpose\n"
    )
    assert run.returncode == 3
