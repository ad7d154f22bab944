"""`zerograd lint` from the user's side: what it finds, what it says, how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lint_programs import CLEARED, HEADLINE, MISSING_ZERO

from zerograd.cli import main
from zerograd.lint.shell.workers import without_interrupts

pytest_plugins = ["lint_project"]

LINT = ["lint", "--preview", "--format", "concise"]


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_a_fault_is_found_and_the_status_is_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    status = main([*LINT])

    (line,) = said(capsys)
    assert line.startswith(f"train.py:{HEADLINE}")
    assert status == 1


def test_nothing_found_is_status_zero_and_says_what_was_judged(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(CLEARED)

    status = main(["lint", "--preview"])

    assert capsys.readouterr().out == "Found nothing; 1 loop: all checked.\n"
    assert status == 0


def test_a_folder_without_sources_is_said_to_have_none(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["lint"])

    assert capsys.readouterr().out == (
        "note: no Python files or notebooks were found\nFound nothing; no loop to check.\n"
    )
    assert status == 0


def test_one_file_is_judged_as_its_part_of_the_whole(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("engine.py").write_text("def update(loss, opt):\n    loss.backward()\n    opt.step()\n")
    caller = MISSING_ZERO.replace("import torch\n", "import torch\nfrom engine import update\n")
    caller = caller.replace(
        "    loss.backward()\n    optimizer.step()", "    update(loss, optimizer)"
    )
    Path("main.py").write_text(caller)

    main([*LINT, "."])
    whole = said(capsys)
    main([*LINT, "engine.py"])
    part = said(capsys)

    assert part == [line for line in whole if line.startswith("engine.py")]
    assert part[0].startswith("engine.py:2:5: ZG101")


def test_several_processes_say_the_same_in_the_same_order(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(9):
        Path(f"train_{number}.py").write_text(MISSING_ZERO)

    main([*LINT, "--jobs", "1"])
    alone = said(capsys)
    main([*LINT, "--jobs", "2"])
    together = said(capsys)

    assert together == alone
    assert len(alone) == 9


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--select", "ZG1"], 1),
        (["--select", "ZG3,ZG4"], 0),
        (["--ignore", "missing-zero"], 0),
        (["--exit-zero"], 0),
        (["--extend-exclude", "train*"], 0),
    ],
)
def test_options_choose_what_counts(here: Path, options: list[str], status: int) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    assert main([*LINT, *options]) == status


def test_settings_of_the_project_hold(here: Path) -> None:
    Path("train.py").write_text(MISSING_ZERO)
    Path("pyproject.toml").write_text(
        '[tool.zerograd]\npreview = true\nper-file-ignores = { "train.py" = ["ZG101"] }\n'
    )

    assert main(["lint"]) == 0
    assert main(["lint", "--isolated", "--preview"]) == 1


def test_settings_are_shown_as_they_would_be_written(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("zerograd.toml").write_text('ignore = ["missing-zero"]\n[knowledge]\nclears = ["a.b"]\n')

    status = main(["lint", "--show-settings", "--hints"])

    lines = said(capsys)
    assert lines[0] == f"# {here / 'zerograd.toml'}"
    assert 'ignore = ["ZG101"]' in lines
    assert "hints = true" in lines
    assert lines[-2:] == ["[knowledge]", '"clears" = ["a.b"]']
    assert status == 0


def test_a_wrong_rule_is_one_sentence(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["lint", "--select", "missing-zer"])

    assert capsys.readouterr().err == (
        "zerograd: unknown rule 'missing-zer' in --select; did you mean missing-zero? "
        "`zerograd rules` lists them\n"
    )
    assert status == 2


def test_statistics_count_each_rule(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(MISSING_ZERO)
    Path("b.py").write_text(MISSING_ZERO)

    status = main(["lint", "--preview", "--statistics"])

    (line,) = said(capsys)
    assert line.split()[:3] == ["2", "ZG101", "missing-zero"]
    assert status == 1


def test_statistics_are_json_where_json_is_asked_for(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text(MISSING_ZERO)

    main(["lint", "--preview", "--statistics", "--format", "json"])

    document = json.loads(capsys.readouterr().out)
    assert document["statistics"] == [{"code": "ZG101", "name": "missing-zero", "count": 1}]


def test_reach_lists_the_loops_that_were_not_checked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text("for x in data:\n    loss(x).backward()\n")

    status = main(["lint", "--reach"])

    assert said(capsys)[0] == "train.py:1:1: not checked: no optimizer in sight"
    assert status == 0


def test_quiet_says_nothing_when_nothing_was_found(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(CLEARED)

    status = main([*LINT, "--quiet"])

    assert capsys.readouterr() == ("", "")
    assert status == 0


def test_quiet_says_the_findings_and_no_summary(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    main(["lint", "--quiet"])

    told = capsys.readouterr()
    assert "ZG101 missing-zero" in told.out
    assert "Found" not in told.out + told.err


def test_quiet_still_writes_the_document_that_a_program_reads(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(CLEARED)

    status = main(["lint", "--quiet", "--format", "json"])

    printed, told = capsys.readouterr()
    assert json.loads(printed)["findings"] == []
    assert told == ""
    assert status == 0


def test_a_report_goes_to_a_file_whole(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    status = main(["lint", "--preview", "--format", "json", "--output", "report.json"])

    document = json.loads(Path("report.json").read_text())
    assert [finding["code"] for finding in document["findings"]] == ["ZG101"]
    assert document["findings"][0]["fingerprint"]
    assert capsys.readouterr() == ("", "zerograd: report written to report.json\n")
    assert status == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_one_sentence_and_status_two(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    status = main([*LINT, "--output", "/dev/full"])

    assert capsys.readouterr().err == "zerograd: cannot write /dev/full: No space left on device\n"
    assert status == 2


def test_sarif_counts_paths_from_the_repository(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("training").mkdir()
    Path("training/train.py").write_text(MISSING_ZERO)
    monkeypatch.chdir("training")

    main(["lint", "--preview", "--format", "sarif"])

    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "training/train.py"
    assert result["partialFingerprints"]["zerograd/v1"]


def test_the_fingerprint_is_the_same_from_every_folder(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("training").mkdir()
    Path("training/train.py").write_text(MISSING_ZERO)
    main(["lint", "--preview", "--format", "json"])
    (from_root,) = json.loads(capsys.readouterr().out)["findings"]
    monkeypatch.chdir("training")

    main(["lint", "--preview", "--format", "json"])

    (from_inside,) = json.loads(capsys.readouterr().out)["findings"]
    assert from_inside["fingerprint"] == from_root["fingerprint"]
    assert (from_root["path"], from_inside["path"]) == ("training/train.py", "train.py")


def test_a_pragma_silences_what_it_names(here: Path) -> None:
    pragma = "loss.backward()  # zerograd: ignore[missing-zero]"
    Path("train.py").write_text(MISSING_ZERO.replace("loss.backward()", pragma))

    assert main(LINT) == 0


def test_knowledge_of_the_users_own_functions_counts(here: Path) -> None:
    loop = MISSING_ZERO.replace(
        "    loss.backward()", "    mylib.zero_all(model)\n    loss.backward()"
    )
    Path("train.py").write_text("import mylib\n" + loop)
    Path("zerograd.toml").write_text('[knowledge]\nclears = ["mylib.zero_all"]\n')

    assert main([*LINT, "--isolated"]) == 1
    assert main([*LINT]) == 0


def test_interrupted_it_ends_without_a_traceback(here: Path) -> None:
    program = (
        "import signal, sys, zerograd.cli.lint_task as task\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` ignores it\n"
        "def interrupt(*a, **k): signal.raise_signal(signal.SIGINT)\n"
        "task.lint_files = interrupt\n"
        "sys.exit(__import__('zerograd.cli').cli.main(['lint', '--jobs', '2']))\n"
    )

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert run.returncode == 130
    assert run.stderr.strip() == ""


def test_a_process_started_to_lint_is_not_interrupted_while_it_imports() -> None:
    is_blocked = "import signal; print(signal.SIGINT in signal.pthread_sigmask(0, ()))"
    ask = [sys.executable, "-c", is_blocked]

    with without_interrupts():
        inside = subprocess.check_output(ask, text=True)
    outside = subprocess.check_output(ask, text=True)

    assert (inside, outside) == ("True\n", "False\n")
