"""Each ready patch says what it repairs, where, and by which rule it was found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from zerograd.rules import find_rule

FOLDER = Path(__file__).parents[2] / "ecosystem" / "patches"
PATCHES = sorted(FOLDER.glob("*.patch"))
HEAD = re.compile(
    r"Repository: https://github\.com/[\w.-]+/[\w.-]+\nCommit: [0-9a-f]{40}\nFiles: (.+)\n"
    r"Found by: `zerograd lint`, ([\w-]+) \((ZG\d{3})\)\n\n(.+)\n\n(?:.+\n)+\n---\n"
)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_patch_has_a_head_a_text_and_a_diff_of_its_files(patch: Path) -> None:
    text = patch.read_text("utf-8")

    head = HEAD.match(text)

    assert head is not None
    assert find_rule(head[2]).code == head[3]
    assert re.findall(r"^\+\+\+ b/(.+)$", text, re.MULTILINE) == head[1].split(", ")
    assert re.search(r"^\+(?!\+\+ )", text[head.end() :], re.MULTILINE)


def test_the_readme_lists_every_patch() -> None:
    listed = re.findall(
        r"^\| `([\w-]+)` \|", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE
    )

    assert listed == [patch.stem for patch in PATCHES]
    assert len(PATCHES) >= 5
