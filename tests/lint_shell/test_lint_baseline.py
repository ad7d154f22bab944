"""A baseline accepts the findings of today and reports those of tomorrow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lint_programs import CLEARED, MISSING_ZERO

from zerograd.cli import main

pytest_plugins = ["lint_project"]

LINT = ["lint", "--preview", "--format", "concise"]
BASELINE = ["--baseline", "known.json"]


def test_a_written_baseline_silences_what_it_knows(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    status = main([*LINT, *BASELINE, "--write-baseline"])

    assert capsys.readouterr() == ("", "zerograd: known.json now knows 1 finding\n")
    assert status == 0
    assert main([*LINT, *BASELINE]) == 0
    assert main(LINT) == 1


def test_it_is_found_by_its_usual_name_when_none_is_given(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    main([*LINT, "--write-baseline"])

    assert capsys.readouterr().err == (
        "zerograd: zerograd-baseline.json now knows 1 finding; "
        'set baseline = "zerograd-baseline.json" in [tool.zerograd]\n'
    )
    assert Path("zerograd-baseline.json").exists()


def test_lines_may_move_and_the_finding_stays_known(here: Path) -> None:
    Path("train.py").write_text(MISSING_ZERO)
    main([*LINT, *BASELINE, "--write-baseline"])

    Path("train.py").write_text("# a new first line\n\n" + MISSING_ZERO)

    assert main([*LINT, *BASELINE]) == 0


def test_a_second_fault_of_the_same_kind_is_new(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)
    main([*LINT, *BASELINE, "--write-baseline"])
    capsys.readouterr()

    Path("train.py").write_text(MISSING_ZERO + MISSING_ZERO.replace("import torch\n", ""))
    status = main([*LINT, *BASELINE])

    assert len(capsys.readouterr().out.splitlines()) == 1
    assert status == 1


def test_a_repaired_finding_is_said_to_be_gone(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)
    main([*LINT, *BASELINE, "--write-baseline"])
    capsys.readouterr()

    Path("train.py").write_text(CLEARED)
    status = main([*LINT, *BASELINE])

    assert capsys.readouterr().err.splitlines()[0] == (
        "zerograd: 1 finding of the baseline is gone; `zerograd lint --write-baseline` forgets it"
    )
    assert status == 0


def test_a_baseline_reads_well(here: Path) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    main([*LINT, *BASELINE, "--write-baseline"])

    document = json.loads(Path("known.json").read_text())
    assert document["version"] == 1
    (entry,) = document["findings"]
    assert (entry["count"], entry["code"], entry["path"]) == (1, "ZG101", "train.py")
    assert len(entry["fingerprint"]) == 16


@pytest.mark.parametrize("content", ["", "[]", '{"version": 2, "findings": []}', "{}"])
def test_what_is_no_baseline_is_refused(
    here: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("known.json").write_text(content)

    status = main([*LINT, *BASELINE])

    assert capsys.readouterr().err == (
        f"zerograd: {here}/known.json is no baseline of zerograd; "
        "`zerograd lint --write-baseline` writes a new one\n"
    )
    assert status == 2


def test_a_baseline_that_is_missing_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main([*LINT, *BASELINE])

    assert capsys.readouterr().err == (
        f"zerograd: cannot read the baseline {here}/known.json: No such file or directory; "
        "`zerograd lint --write-baseline` writes a new one\n"
    )
    assert status == 2
