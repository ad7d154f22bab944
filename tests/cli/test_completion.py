"""A shell completes verbs, and the names of rules, sections and topics."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

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


@pytest.mark.parametrize(
    ("shell", "lines"),
    [
        (
            "bash",
            (
                'eval "$(_ZEROGRAD_COMPLETE=bash_source zerograd)"; COMP_CWORD=3\n'
                "COMP_WORDS=(zerograd lint --select missing-zero,spent)\n"
                '_zerograd_completion zerograd; echo "${COMPREPLY[@]}"\n'
            ),
        ),
        (
            "fish",
            (
                "_ZEROGRAD_COMPLETE=fish_source zerograd | source\n"
                "complete -C 'zerograd lint --select missing-zero,spent' | string split -f 1 \\t\n"
            ),
        ),
    ],
)
def test_a_shell_completes_the_second_of_two_rules(shell: str, lines: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    folders = [f"{sys.exec_prefix}/bin", os.environ["PATH"]]

    done = subprocess.run(
        [shell, "-c", lines],
        env={**os.environ, "PATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "missing-zero,spent-twice\n"
