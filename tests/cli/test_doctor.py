"""`zerograd doctor` tries what is installed, and says what to type for what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd import __version__
from zerograd.cli import doctor, main
from zerograd.cli.doctor import Checkup

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_everything_that_is_installed_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    status = main(["doctor"])

    out, err = capsys.readouterr()
    lines = {line.split()[0]: line[10:] for line in out.splitlines()}
    assert (status, err) == (0, "")
    assert lines["zerograd"].startswith(f"{__version__}, in ")
    assert lines["lint"] == "works: finds a loop that never clears"
    assert lines["watch"].startswith("works: sees it happen")
    assert lines["settings"] == "none: no zerograd.toml or [tool.zerograd]"
    assert lines["server"].startswith("pygls ")
    assert [*lines] == [
        *("zerograd", "python", "settings", "lint", "torch", "watch"),
        *("report", "server", "git", "beside"),
    ]


def test_a_verb_that_finds_nothing_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "TRIAL", "x = 1\n")

    line = doctor.tried("lint", "lint", "finds a loop that never clears")

    assert line.is_wrong
    assert line.told.startswith("does not work: ")


def test_what_is_not_installed_is_said_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda _: None)

    assert doctor.torch() == Checkup(
        "torch", "not installed: lint works without; pip install torch for watch and Gradients"
    )
    assert doctor.extra(
        "server", ("nothing-like-it",), "findings in editors", name="lsp"
    ) == Checkup("server", "not installed: pip install 'zerograd[lsp]' for findings in editors")


def test_wrong_settings_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zerograd.toml").write_text("hints = 1\n")
    monkeypatch.chdir(tmp_path)

    assert doctor.settings() == Checkup(
        "settings",
        "zerograd.toml: hints must be true or false, not a number; write hints = true",
        is_wrong=True,
    )
