"""Comments that were meant to silence zerograd and do not are told, with what to write."""

from __future__ import annotations

import pytest

from zerograd.findings.suppression import Suppression


def told(comment: str) -> list[str]:
    found = Suppression("train.py", f"loss.backward()  {comment}\n")
    return [finding.message for finding in (*found.unknown(), *found.unused(lambda *_: True))]


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        (
            "# noqa: ZG101",
            "`noqa` does not silence zerograd; write `# zerograd: ignore[ZG101]`",
        ),
        (
            "# noqa: E501, ZG101,ZG302  long",
            "`noqa` does not silence zerograd; write `# zerograd: ignore[ZG101, ZG302]`",
        ),
        (
            "# noqa: missing-zero",
            "`noqa` does not silence zerograd; write `# zerograd: ignore[missing-zero]`",
        ),
        (
            "# type: ignore[ZG101]",
            "`type: ignore` does not silence zerograd; write `# zerograd: ignore[ZG101]`",
        ),
        (
            "# pylint: disable=missing-zero",
            "`pylint: disable` does not silence zerograd; write `# zerograd: ignore[missing-zero]`",
        ),
        (
            "# zerograd: disable=missing-zero",
            "unknown pragma `disable`; write `# zerograd: ignore[missing-zero]`",
        ),
        (
            "# zerograd: disable=ZG302,ZG101",
            "unknown pragma `disable`; write `# zerograd: ignore[ZG302, ZG101]`",
        ),
        (
            "# zerograd: disable",
            "unknown pragma `disable`; write `# zerograd: ignore[missing-zero]`, or another rule",
        ),
        (
            "# zerograd: skip-file",
            (
                "unknown pragma `skip-file`; write `# zerograd: ignore-file[missing-zero]`, "
                "or another rule"
            ),
        ),
        (
            "# zerograd ignore[missing-zero]",
            "`zerograd` without a colon is no pragma; write `# zerograd: ignore[missing-zero]`",
        ),
        (
            "# ZeroGrad: ignore-file[ZG101]",
            "`ZeroGrad:` is no pragma; write `# zerograd: ignore-file[ZG101]`",
        ),
        (
            "# zerograd: noqa ZG101",
            "unknown pragma `noqa`; write `# zerograd: ignore[ZG101]`",
        ),
        (
            "# zerograd: ignroe missing-zero",
            "unknown pragma `ignroe`; write `# zerograd: ignore[missing-zero]`",
        ),
        (
            "# zerograd: ignore missing-zero",
            "`ignore` names no rule; write `ignore[missing-zero]`",
        ),
        (
            "# zerograd: ignore=ZG101 # meant",
            "`ignore` names no rule; write `ignore[ZG101]`",
        ),
        (
            "# zerograd: ignore",
            "`ignore` names no rule; write `ignore[missing-zero]`, or another rule",
        ),
    ],
)
def test_a_wrong_suppression_is_told_once(comment: str, message: str) -> None:
    assert told(comment) == [message]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa",
        "# type: ignore[attr-defined]",
        "# pylint: disable=missing-docstring",
        "# zerograd: the loop above is right, see the paper",
        "# zerograd: see issue 12",
        "# write `# noqa: ZG101` elsewhere",
        "# about zerograd: disable",
    ],
)
def test_what_is_meant_for_others_is_not(comment: str) -> None:
    assert told(comment) == []
