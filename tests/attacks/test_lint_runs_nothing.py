"""Lint imports nothing from the working directory or the linted tree, in no process that it starts.

The folder holds a module of every name that could be imported, each of which leaves a mark.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = (str(Path(sys.executable).with_name("zerograd")),)
MODULE = (sys.executable, "-m", "zerograd")
SAFE_MODULE = (sys.executable, "-P", "-m", "zerograd")

MANY = 30
"""Files, more than the 24 from which on lint starts other processes."""

TRAINING = """\
import torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    model(torch.ones(8, 3)).square().mean().backward()
    optimizer.step()
"""

OTHERS = ("click", "jinja2", "numpy", "pygments", "rich", "torch", "zerograd")
CUSTOM = ("sitecustomize", "usercustomize")
EVERYTHING = frozenset((*sys.stdlib_module_names, *OTHERS, *CUSTOM))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plant(folder: Path, names: frozenset[str]) -> None:
    """Write a module of each name that leaves a mark when it is imported."""
    for name in names:
        (folder / f"{name}.py").write_text(
            f"with open({str(folder / 'imported')!r}, 'a') as marks:\n    marks.write('{name} ')\n"
        )


def imported(folder: Path) -> str:
    """Return the names of the planted modules that were imported."""
    marks = folder / "imported"
    return marks.read_text() if marks.exists() else ""


def write_trainings(folder: Path) -> None:
    for number in range(MANY):
        (folder / f"train_{number:02}.py").write_text(TRAINING)


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def before_us() -> frozenset[str]:
    """Return what `python -m` itself imports before it reaches any program."""
    loaded = run(sys.executable, "-P", "-c", "import runpy, sys; print(*sys.modules)").stdout
    return frozenset(name.partition(".")[0] for name in loaded.split())


@pytest.mark.parametrize("jobs", ["0", "1", "3"])
def test_the_command_imports_nothing_from_the_working_directory(here: Path, jobs: str) -> None:
    plant(here, EVERYTHING)
    write_trainings(here)

    done = run(*COMMAND, "lint", "--statistics", "--jobs", jobs)

    assert imported(here) == ""
    assert done.stdout.split()[:3] == [str(MANY), "ZG101", "missing-zero"]
    assert done.stderr == ""


def test_the_planted_modules_would_have_left_marks(here: Path) -> None:
    plant(here, EVERYTHING)

    run(sys.executable, "-c", "import multiprocessing, click")

    assert imported(here) == "multiprocessing click "


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif", "github", "html"])
def test_no_report_imports_anything_from_there(here: Path, form: str) -> None:
    plant(here, EVERYTHING)
    write_trainings(here)

    run(*COMMAND, "lint", "--jobs", "2", "--format", form, "--output", "report")

    assert Path("report").exists()
    assert imported(here) == ""


def test_repairing_imports_nothing_from_there(here: Path) -> None:
    plant(here, EVERYTHING)
    write_trainings(here)

    done = run(*COMMAND, "lint", "--jobs", "2", "--unsafe-fixes", "--diff")

    assert done.stdout.count("+    optimizer.zero_grad()") == MANY
    assert imported(here) == ""


def test_run_as_a_module_it_imports_nothing_from_there(here: Path) -> None:
    plant(here, EVERYTHING - before_us() - {"zerograd"})
    write_trainings(here)

    done = run(*MODULE, "lint", "--statistics", "--jobs", "2")

    assert imported(here) == ""
    assert done.stdout.split()[0] == str(MANY)


def test_run_as_a_module_with_a_safe_path_even_python_imports_nothing_from_there(
    here: Path,
) -> None:
    plant(here, EVERYTHING)
    write_trainings(here)

    done = run(*SAFE_MODULE, "lint", "--statistics", "--jobs", "2")

    assert imported(here) == ""
    assert done.stdout.split()[0] == str(MANY)


@pytest.mark.parametrize("path", [".", "", os.pathsep, f"{os.pathsep}/usr/lib", "{here}"])
def test_a_python_path_that_leads_here_is_not_followed(here: Path, path: str) -> None:
    # sitecustomize is Python's own doing, before any program begins.
    plant(here, EVERYTHING - {*CUSTOM, "zerograd"} - before_us())
    write_trainings(here)

    done = run(*COMMAND, "lint", "--statistics", "--jobs", "2", PYTHONPATH=path.format(here=here))

    assert imported(here) == ""
    assert done.stdout.split()[0] == str(MANY)


def test_other_processes_take_nothing_from_a_python_path(here: Path) -> None:
    other = here / "elsewhere"
    other.mkdir()
    plant(other, frozenset({"sitecustomize"}))
    write_trainings(here)

    done = run(*COMMAND, "lint", "--statistics", "--jobs", "2", PYTHONPATH=str(other))

    assert imported(other) == "sitecustomize "  # once: by Python, for the command
    assert done.stdout.split()[0] == str(MANY)


def test_the_program_that_asks_for_lint_is_not_run_again(here: Path) -> None:
    write_trainings(here)
    asking = here / "asking.py"
    asking.write_text(
        "with open('asked', 'a') as marks:\n    marks.write('once ')\n"
        "from zerograd.cli import main\n"
        "main(['lint', '--quiet', '--jobs', '2'])\n"
    )

    run(sys.executable, str(asking))

    assert Path("asked").read_text() == "once "
