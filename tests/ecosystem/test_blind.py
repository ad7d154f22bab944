"""A frozen list of bugs is counted by family and loudness, and files by their loud findings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import blind

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BROKEN = """\
import torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in loader:
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
"""
BUG = {"path": "train.py", "line": 6, "acceptable_rules": ["ZG101"], "family": "order"}


def found(**changed: object) -> list[dict[str, object]]:
    seen = {"path": "train.py", "line": 6, "cell": None, "code": "ZG101", "name": "missing-zero"}
    return [{**seen, "severity": "error", **changed}]


def test_a_bug_is_found_by_an_acceptable_rule_on_its_line() -> None:
    assert blind.found_at(BUG, found()) == set(blind.FOUND)


def test_another_line_rule_or_file_finds_nothing() -> None:
    others = [*found(line=7), *found(code="ZG102", name="x"), *found(path="other.py")]

    assert blind.found_at(BUG, others) == set()


def test_a_hint_counts_with_hints_only() -> None:
    assert blind.found_at(BUG, found(severity="hint")) == {"with hints"}


def test_a_rule_in_preview_does_not_count_by_default() -> None:
    bug = {**BUG, "acceptable_rules": ["dead-parameter"]}

    levels = blind.found_at(bug, found(code="ZG305", name="dead-parameter"))

    assert levels == {"loud with --preview", "with hints"}


def test_the_table_of_a_list_has_a_line_a_family(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "X001").mkdir()
    (tmp_path / "X002").mkdir()
    (tmp_path / "X001" / "train.py").write_text(BROKEN, "utf-8")
    (tmp_path / "X002" / "train.py").write_text("print()\n", "utf-8")
    rows = [{**BUG, "id": "X001"}, {**BUG, "id": "X002", "family": "graph"}]
    (tmp_path / "bugs.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")

    code = blind.main([str(tmp_path / "bugs.jsonl"), str(tmp_path)])

    assert code == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| family | bugs | loud by default | loud with --preview | with hints |",
        "|---|--:|--:|--:|--:|",
        "| order | 1 | 1 (100%) | 1 (100%) | 1 (100%) |",
        "| graph | 1 | 0 (0%) | 0 (0%) | 0 (0%) |",
        "| all | 2 | 1 (50%) | 1 (50%) | 1 (50%) |",
    ]


def test_training_files_are_told_by_their_loud_findings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "me+mine").mkdir()
    (tmp_path / "me+mine" / "train.py").write_text(BROKEN, "utf-8")
    row = {"repo": "me/mine", "distinct_training_files": 1}
    (tmp_path / "files.jsonl").write_text(json.dumps(row), "utf-8")

    blind.main([str(tmp_path / "files.jsonl"), str(tmp_path)])

    assert capsys.readouterr().out == (
        "default error ZG101 me/mine train.py:6: `loss.backward()` adds to gradients that were "
        "already spent: `optimizer` is never cleared\n"
        "training files: 1\n"
    )
