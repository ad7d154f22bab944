"""A shell completes verbs, and the names of rules, sections and topics."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from zerograd.cli.main import main, zerograd


def completed(line: str) -> list[str]:
    words = line.split(" ")
    shell = ShellComplete(zerograd, {}, "zerograd", "_ZEROGRAD_COMPLETE")
    return [str(item.value) for item in shell.get_completions(words[1:-1], words[-1])]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("zerograd se", ["server"]),
        ("zerograd explain mis", ["missing-zero"]),
        ("zerograd explain set-to", ["set-to-none"]),
        ("zerograd explain ZG101", ["ZG101"]),
        ("zerograd rules clear", ["clearing"]),
        ("zerograd lint --ignore spent", ["spent-twice"]),
        ("zerograd lint --select missing-zero,spent", ["missing-zero,spent-twice"]),
        ("zerograd lint --output-format git", ["github", "gitlab"]),
        ("zerograd lint --select nothing-like", []),
    ],
)
def test_what_was_begun_is_completed(line: str, expected: list[str]) -> None:
    assert [one for one in completed(line) if not one.startswith("--")] == expected


def test_fish_keeps_what_follows_a_comma(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_ZEROGRAD_COMPLETE", "fish_source")

    with pytest.raises(SystemExit):
        main([])

    # click's own lines split "plain,missing-zero,spent-twice" into three.
    assert 'string split --max 1 "," $completion' in capsys.readouterr().out
