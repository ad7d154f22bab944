"""`make release` writes the version and the changelog, or says in one sentence why it cannot."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prepare import VERSIONS, refusal, write_changelog, write_versions

from zerograd.cli.verbs import SUMMARIES

ROOT = Path(__file__).parents[2]
CHANGELOG = "# Changelog\n\n<!-- towncrier release notes start -->\n\n"
FIRST = "## 0.1.0 (unreleased)\n\nThe first release.\n"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder with the files that a release changes, before the first one."""
    for name in (*VERSIONS, "pyproject.toml", "changelog.d/README.md", "changelog.d/template.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG + FIRST, "utf-8")
    return tmp_path


def test_the_version_is_written_wherever_it_is_named(clone: Path) -> None:
    write_versions(clone, "0.7.3")

    changed = {name: (clone / name).read_text("utf-8") for name in VERSIONS}
    assert {name: text.count("0.7.3") for name, text in changed.items()} == dict.fromkeys(
        VERSIONS, 1
    )
    assert '\n__version__ = "0.7.3"\n' in changed["src/zerograd/__init__.py"]
    assert "\nversion: 0.7.3\n" in changed["CITATION.cff"]
    assert '\n  version: "0.7.3"\n' in changed["conda/recipe.yaml"]


def test_an_entry_that_was_written_by_hand_gets_its_date(clone: Path) -> None:
    before = datetime.now(UTC).date()

    write_changelog(clone, "0.1.0")

    days = {before.isoformat(), datetime.now(UTC).date().isoformat()}
    written = (clone / "CHANGELOG.md").read_text("utf-8")
    assert written in {CHANGELOG + FIRST.replace("unreleased", day) for day in days}


def test_a_later_entry_is_built_from_fragments_and_prints_no_number(clone: Path) -> None:
    (clone / "changelog.d" / "17.fixed.md").write_text("`zerograd lint` ends.\n", "utf-8")

    write_changelog(clone, "0.2.0")

    written = (clone / "CHANGELOG.md").read_text("utf-8")
    assert re.sub(r"\d{4}-\d\d-\d\d", "DAY", written) == (
        f"{CHANGELOG}## 0.2.0 (DAY)\n\n### Fixed\n\n- `zerograd lint` ends.\n\n{FIRST}"
    )
    assert sorted(path.name for path in (clone / "changelog.d").iterdir()) == [
        "README.md",
        "template.md",
    ]


def test_the_first_entry_may_be_released(clone: Path) -> None:
    assert refusal(clone, "0.1.0") is None


def test_fragments_beside_a_written_entry_are_not_lost(clone: Path) -> None:
    (clone / "changelog.d" / "17.fixed.md").write_text("`zerograd lint` ends.\n", "utf-8")

    refused = refusal(clone, "0.1.0")

    assert refused == (
        "CHANGELOG.md has an entry of 0.1.0, and changelog.d has fragments that it may not tell"
        " (17.fixed.md, ...): fold them into it, and remove them"
    )
    assert refusal(clone, "0.2.0") is None


def test_a_release_without_a_change_is_none(clone: Path) -> None:
    assert refusal(clone, "0.2.0") == (
        "CHANGELOG.md has no entry of 0.2.0, and changelog.d no fragment to make one of"
    )


def test_a_version_has_three_numbers(clone: Path) -> None:
    assert refusal(clone, "v0.1") == "v0.1 is no version like 0.1.0"


def test_the_changelog_tells_every_verb_and_no_number_of_an_issue() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")

    assert [verb for verb in SUMMARIES if f"`zerograd {verb}" not in changelog] == []
    assert re.findall(r"#\d+", changelog) == []
