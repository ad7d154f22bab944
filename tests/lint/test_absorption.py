"""One fault is one finding in lint too: the lifecycle's table says what explains what."""

from __future__ import annotations

from pathlib import Path

import pytest

from zerograd.lint import Analyser, Project, Source

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.mark.parametrize(
    ("script", "told", "absorbed"),
    [
        ("shared_parameter/broken_repeated_term.py", "shared-parameter", "orphan-parameter"),
        (
            "step_without_backward/broken_gan_generator.py",
            "step-without-backward",
            "dead-parameter",
        ),
        ("window_off_by_one/broken_flat_script.py", "window-off-by-one", "tail-dropped"),
    ],
)
def test_what_explains_a_further_verdict_is_told_alone(
    script: str, told: str, absorbed: str
) -> None:
    file = SCRIPTS / script

    findings = Analyser(Project()).analyse(Source(str(file), file.read_text())).findings

    names = {finding.rule.name for finding in findings}
    assert told in names
    assert absorbed not in names


def test_what_nothing_explains_is_told() -> None:
    file = SCRIPTS / "dead_parameter" / "broken_frozen_in_optimizer.py"

    findings = Analyser(Project()).analyse(Source(str(file), file.read_text())).findings

    assert "dead-parameter" in {finding.rule.name for finding in findings}
