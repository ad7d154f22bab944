"""No name that somebody else chose is obeyed by a terminal, in any line that any verb prints."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest
from hostile_names import FORGED, HOSTILE, obeyed
from repairable import BROKEN
from warm_python import warm_python

from zerograd.cli import main
from zerograd.findings import Finding, Location
from zerograd.findings.record import to_record
from zerograd.rules import named_rule
from zerograd.settings import FORMATS
from zerograd.watch.process.journal import Journal
from zerograd.watch.process.run_folders import new_run

if TYPE_CHECKING:
    from pathlib import Path

MISSING_ZERO = """\
import torch

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    loss = model(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
"""

UNRESOLVED = """\
import torch
from elsewhere import engine

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in range(4):
    loss = model(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    engine.train_step(optimizer)
    optimizer.step()
"""

FILES = {
    "train": MISSING_ZERO,
    "pragma": f"f()  # zerograd: ignore[{HOSTILE.split(FORGED)[0]}{FORGED}]\n",
    "unused": BROKEN,
    "unresolved": UNRESOLVED,
    "invalid": "for x in loader\n    loss.backward()\n",
    "large": MISSING_ZERO + "#" * 1_000_000,
}


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory: a project whose folders and files have hostile names."""
    folder = tmp_path / "project" / HOSTILE
    folder.mkdir(parents=True)
    for name, content in FILES.items():
        (folder / f"{name}{HOSTILE}.py").write_text(content)
    (folder / f"circle{HOSTILE}.py").symlink_to(f"circle{HOSTILE}.py")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    return folder


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return all that a command prints."""
    main(arguments)
    out, err = capsys.readouterr()
    return out + err


LINT = ["lint", "--hints", "--preview"]


@pytest.mark.parametrize("form", FORMATS)
def test_lint_prints_no_name_raw_in_any_format(
    tree: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = said([*LINT, "--format", form], capsys)

    assert FORGED in text
    assert obeyed(text) == []


def test_lint_in_colour_prints_nothing_but_its_own_colours(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")

    text = said(LINT, capsys)

    colourless = re.sub("\x1b\\[[0-9;]+m", "", text)
    assert len(colourless) < len(text)
    assert obeyed(colourless) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--reach"],
        ["--quiet"],
        ["--diff"],
        ["--fix"],
        ["--fix", "--unsafe-fixes", "--format", "concise"],
        ["--statistics", "--format", "concise", HOSTILE],
        ["--output", HOSTILE + "report"],
        ["--output", "nowhere/" + HOSTILE],
        ["--output", HOSTILE],
        ["--baseline", HOSTILE],
        ["--baseline", "known" + HOSTILE, "--write-baseline"],
        ["--baseline", "nowhere/" + HOSTILE, "--write-baseline"],
        ["--config", HOSTILE],
        ["--config", "missing" + HOSTILE],
        ["--select", HOSTILE],
        ["--ignore", HOSTILE],
        ["--exclude", HOSTILE, "--show-settings"],
        ["--exclude", "[" + HOSTILE],
        ["--format", HOSTILE],
        ["--jobs", HOSTILE],
        ["--" + HOSTILE],
        ["--stdin-filename", HOSTILE],
        ["missing" + HOSTILE],
        ["missing" + HOSTILE, "-"],
    ],
    ids=lambda arguments: " ".join(arguments).replace(HOSTILE, "NAME"),
)
def test_lint_prints_no_name_raw_whatever_is_asked(
    tree: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = said([*LINT, *arguments], capsys)

    assert text
    assert obeyed(text) == []


def test_a_refusal_to_write_prints_no_name_raw(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / f"outside{HOSTILE}.py"
    outside.write_text(BROKEN)
    (tree.parent / f"link{HOSTILE}.py").symlink_to(outside)

    text = said([*LINT, "--fix", f"link{HOSTILE}.py"], capsys)

    assert FORGED in text
    assert obeyed(text) == []


def test_the_name_of_standard_input_is_not_printed_raw(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MISSING_ZERO.encode())))

    text = said([*LINT, "-", "--stdin-filename", HOSTILE], capsys)

    assert FORGED in text
    assert obeyed(text) == []


VALUES = {
    "an unknown key": '"{}" = 1',
    "an unknown rule": 'ignore = ["{}"]',
    "an unknown format": 'format = "{}"',
    "a pattern": 'exclude = ["{}["]',
    "a pattern that leaves": 'exclude = ["../{}"]',
    "a rule of one file": 'per-file-ignores."x" = ["{}"]',
    "a file with rules": 'per-file-ignores."{}" = ["ZG9"]',
    "a baseline": 'baseline = "{}"',
    "a baseline elsewhere": 'baseline = "../{}"',
    "a dotted name": 'knowledge.clears = ["{}"]',
    "an unknown table": 'knowledge."{}" = 1',
}


@pytest.mark.parametrize("line", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("file", ["zerograd.toml", "pyproject.toml"])
def test_settings_print_no_value_raw(
    tree: Path,
    line: str,
    file: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    written = "".join(f"\\U{ord(one):08x}" for one in HOSTILE.replace("\udcff", ""))
    header = "[tool.zerograd]\n" if file == "pyproject.toml" else ""
    (tree / file).write_text(header + line.format(written))
    monkeypatch.chdir(tree)

    text = said(["lint", "-q", "pragma"], capsys)

    assert FORGED in text
    assert obeyed(text) == []


@pytest.mark.parametrize(
    "line",
    ['exclude = ["{}"]', 'per-file-ignores."{}" = ["ZG1"]', 'baseline = "{}"'],
)
def test_the_settings_that_hold_are_shown_without_anything_raw(
    tree: Path,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    written = "".join(f"\\U{ord(one):08x}" for one in HOSTILE.replace("\udcff", ""))
    (tree / "zerograd.toml").write_text(line.format(written))
    monkeypatch.chdir(tree)

    text = said(["lint", "--show-settings"], capsys)

    assert text.count(FORGED) > 1
    assert obeyed(text) == []


@pytest.mark.parametrize(
    "arguments",
    [
        [HOSTILE],
        ["rules", HOSTILE],
        ["rules", "missing-zer" + HOSTILE],
        ["rules", "--format", HOSTILE],
        ["explain", HOSTILE],
        ["explain", "why " + HOSTILE],
        ["explain", "ZG" + HOSTILE],
        ["explain", HOSTILE, "--run"],
        ["explain", "missing-zero", "--run", "--html", "nowhere/" + HOSTILE],
        ["explain", "why", HOSTILE],
        ["help", HOSTILE],
        ["watch", HOSTILE],
        ["watch", HOSTILE + ".py", HOSTILE],
        ["watch", f"{HOSTILE}/invalid{HOSTILE}.py"],
        ["watch", "--output", "nowhere/" + HOSTILE, f"{HOSTILE}/train{HOSTILE}.py"],
        ["watch", "--nproc", HOSTILE, f"{HOSTILE}/train{HOSTILE}.py"],
        ["watch", "--select", HOSTILE, f"{HOSTILE}/train{HOSTILE}.py"],
        ["watch", "--config", HOSTILE, f"{HOSTILE}/train{HOSTILE}.py"],
        ["watch", "--" + HOSTILE],
    ],
    ids=lambda arguments: " ".join(arguments).replace(HOSTILE, "NAME"),
)
def test_no_verb_prints_an_argument_raw(
    tree: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = said(arguments, capsys)

    assert FORGED in text
    assert obeyed(text) == []


@pytest.mark.parametrize(
    "options",
    [[], ["--quiet"], ["--format", "concise", "--output", HOSTILE + "report"]],
    ids=lambda options: " ".join(options).replace(HOSTILE, "NAME") or "nothing",
)
def test_a_watched_run_prints_no_name_raw(tree: Path, options: list[str]) -> None:
    text = watched(tree, options)

    assert FORGED in text
    assert obeyed(text) == []


def test_the_fault_that_stops_a_run_is_told_with_nothing_raw(tree: Path) -> None:
    text = watched(tree, ["--fail-fast"])

    # The traceback above it is Python's own, and so are the names in it.
    _, fault = text.split("FaultError: ")
    assert FORGED in fault
    assert obeyed(fault) == []


def watched(tree: Path, options: list[str]) -> str:
    """Return all that is printed while a script is watched."""
    script = f"{HOSTILE}/train{HOSTILE}.py"
    command = [warm_python(), "-m", "zerograd", "watch", *options, script, HOSTILE]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(tree.parent)}
    run = subprocess.run(command, env=environment, capture_output=True, check=False)
    return run.stdout.decode() + run.stderr.decode()


@pytest.fixture
def killed_run(tree: Path) -> None:
    """Leave behind what a watcher leaves that is killed after a fault was found."""
    rule = named_rule("missing-zero")
    finding = Finding(
        rule=rule,
        severity=rule.severity,
        location=Location(f"train{HOSTILE}.py", 7, 5),
        message=f"`{HOSTILE}` adds to gradients",
        fingerprint="1",
        count=1,
    )
    child = os.fork()
    if not child:
        with new_run([f"train{HOSTILE}.py", HOSTILE]) as folder:
            Journal(folder).write({"found": json.loads(json.dumps(to_record(finding)))})
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.usefixtures("killed_run")
def test_what_a_killed_run_had_found_is_recovered_with_nothing_raw(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = said(["watch", "--recover"], capsys)

    assert "was killed; until then:" in text
    assert "ZG101" in text
    assert obeyed(text) == []


@pytest.mark.usefixtures("killed_run")
def test_a_killed_run_is_mentioned_with_nothing_raw(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree.parent / "nothing.py").touch()

    text = said(["watch", "nothing.py"], capsys)

    assert "`zerograd watch --recover` shows them" in text
    assert obeyed(text) == []


def test_a_bug_of_ours_prints_nothing_raw(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError(HOSTILE)

    monkeypatch.setattr("zerograd.cli.lint.settings_of", fail)

    text = said(["lint"], capsys)

    assert "internal error; please report it" in text
    assert obeyed(text) == []


def test_the_check_finds_what_a_terminal_would_obey() -> None:
    assert obeyed(f"a\x1b\u202e\n  {FORGED} b\n\tc\r") == [
        repr("  " + FORGED + " b"),
        repr("\r"),
        repr("\u202e"),
        repr("\x1b"),
    ]
