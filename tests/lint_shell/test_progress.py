"""A bar appears on stderr only when a run is slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.cli import progress
from zerograd.cli.progress import Bar

if TYPE_CHECKING:
    import pytest


def test_a_quick_run_draws_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with Bar() as bar:
        bar.advance(1, 2)

    assert capfd.readouterr() == ("", "")
    assert bar.drawn is None


def test_a_slow_run_draws_on_stderr_only(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setenv("FORCE_COLOR", "1")

    with Bar() as bar:
        bar.advance(1, 2)

    out, err = capfd.readouterr()
    assert out == ""
    assert "linting" in err
