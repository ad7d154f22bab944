"""`--fix` repairs files as text, `--diff` shows it, and nothing else in them changes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lint_programs import notebook

from zerograd.cli import main
from zerograd.findings import Edit, Fix
from zerograd.lint.shell import fix
from zerograd.rules import Repair

pytest_plugins = ["lint_project"]

UNUSED = "optimizer.zero_grad()\nloss.backward()  # zerograd: ignore[ZG101, ZG302]\n"
REPAIRED = "optimizer.zero_grad()\nloss.backward()\n"
FIX = ["lint", "--hints", "--fix", "--format", "concise"]


def test_an_unused_pragma_is_removed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text(UNUSED)

    status = main(FIX)

    assert Path("train.py").read_text() == REPAIRED
    assert capsys.readouterr() == (
        "",
        "zerograd: repaired 1 finding in 1 file\nFound nothing; no loop to check.\n",
    )
    assert status == 0


def test_a_second_time_there_is_nothing_to_do(here: Path) -> None:
    Path("train.py").write_text(UNUSED)
    main(FIX)
    once = Path("train.py").stat().st_mtime_ns

    main(FIX)

    assert Path("train.py").stat().st_mtime_ns == once


def test_without_hints_a_hint_is_not_repaired_either(here: Path) -> None:
    Path("train.py").write_text(UNUSED)

    main(["lint", "--fix"])

    assert Path("train.py").read_text() == UNUSED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (UNUSED.replace("\n", "\r\n").encode(), REPAIRED.replace("\n", "\r\n").encode()),
        (b"\xef\xbb\xbf" + UNUSED.encode(), b"\xef\xbb\xbf" + REPAIRED.encode()),
        (
            b"# coding: latin-1\nx = '\xe9'\n" + UNUSED.encode(),
            b"# coding: latin-1\nx = '\xe9'\n" + REPAIRED.encode(),
        ),
        (b"if x:\n\ty = 1\t;\n" + UNUSED.encode(), b"if x:\n\ty = 1\t;\n" + REPAIRED.encode()),
        (UNUSED.rstrip().encode(), REPAIRED.rstrip().encode()),
    ],
    ids=["CRLF", "byte order mark", "encoding", "tabs and trailing blanks", "no last newline"],
)
def test_all_else_in_the_file_stays(here: Path, before: bytes, after: bytes) -> None:
    Path("train.py").write_bytes(before)

    main(FIX)

    assert Path("train.py").read_bytes() == after


def test_a_notebook_changes_in_one_cell_only(here: Path) -> None:
    raw = notebook("import torch\n", UNUSED, "print('é')")
    Path("train.ipynb").write_text(raw)

    main(FIX)

    pragma = "  # zerograd: ignore[ZG101, ZG302]"
    assert Path("train.ipynb").read_text() == raw.replace(pragma, "")


def test_a_diff_is_a_patch_that_git_applies(
    repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(UNUSED)

    status = main(["lint", "--hints", "--diff"])

    out, err = capfd.readouterr()
    assert Path("train.py").read_text() == UNUSED
    assert err == "zerograd: would repair 1 finding in 1 file\n"
    assert status == 1
    subprocess.run(["git", "apply"], input=out, text=True, check=True)
    assert Path("train.py").read_text() == REPAIRED


def test_the_diff_of_a_notebook_is_that_of_its_cells(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    raw = notebook("import torch\n", f"x = 'é'\n{UNUSED}", "print(x)")
    Path("train.ipynb").write_text(raw)

    status = main(["lint", "--hints", "--diff"])

    assert capfd.readouterr().out == (
        "--- a/train.ipynb:cell2\n"
        "+++ b/train.ipynb:cell2\n"
        "@@ -1,3 +1,3 @@\n"
        " x = 'é'\n"
        " optimizer.zero_grad()\n"
        "-loss.backward()  # zerograd: ignore[ZG101, ZG302]\n"
        "+loss.backward()\n"
    )
    assert status == 1


def test_a_cell_that_cannot_be_read_costs_its_own_repairs_and_no_others(here: Path) -> None:
    loop = (
        "import torch\nmodel = torch.nn.Linear(2, 1)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for inputs in loader:\n    model(inputs).sum().backward()\n    optimizer.step()\n"
    )
    cleared = loop.replace("    model(", "    optimizer.zero_grad()\n    model(")
    unread = f"for x in (:\n{loop}"
    Path("train.ipynb").write_text(notebook("for x in (:\n", loop, unread))

    main(["lint", "--fix", "--unsafe-fixes"])

    assert Path("train.ipynb").read_text() == notebook("for x in (:\n", cleared, unread)


def test_without_a_difference_a_diff_is_empty_and_the_status_zero(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(REPAIRED)

    status = main(["lint", "--hints", "--diff"])

    assert capsys.readouterr() == ("", "")
    assert status == 0


def test_what_is_left_is_reported_after_a_repair(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(UNUSED + "f()  # zerograd: ignore\n")

    status = main(FIX)

    assert capsys.readouterr().out == (
        "train.py:3:6: ZG003 unknown-ignore: `ignore` names no rule; "
        "write `ignore[missing-zero]`, or another rule\n"
    )
    assert status == 1


def test_a_file_that_changes_meanwhile_is_left_alone(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(UNUSED)
    rewritten = fix.rewritten

    def edit_meanwhile(path: str, old: bytes, fixes: list[Fix]) -> bytes | None:
        Path("train.py").write_text("edited = True\n")
        return rewritten(path, old, fixes)

    monkeypatch.setattr(fix, "rewritten", edit_meanwhile)

    status = main(FIX)

    assert Path("train.py").read_text() == "edited = True\n"
    assert capsys.readouterr().err.startswith(
        "zerograd: train.py was changed meanwhile and is left as it is; run again\n"
    )
    assert status == 2


def replacement(text: str) -> Fix:
    """Return a fix that replaces the first five characters."""
    return Fix(Repair.SAFE, "repair", (Edit(1, 1, 1, 6, text),))


def test_a_fix_that_would_break_the_program_is_not_applied(here: Path) -> None:
    text = b"x = 1\n"

    assert fix.rewritten("train.py", text, [replacement("x = (")]) is None
    assert fix.rewritten("train.py", text, [replacement("x = (2)")]) == b"x = (2)\n"
