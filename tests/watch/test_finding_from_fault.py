"""What a finding says of its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.source.lines import Line
from zerograd.watch.report.finding_from_fault import code_at, locate

if TYPE_CHECKING:
    from pathlib import Path


def line_of(folder: Path, source: str, number: int) -> Line:
    program = folder / "train.py"
    program.write_text(source)
    return Line(str(program), number, "<module>")


def test_a_statement_is_quoted_whole(tmp_path: Path) -> None:
    line = line_of(tmp_path, "(\n    loss\n    .backward()\n)\n", 3)

    assert code_at(line) == "loss.backward()"


def test_of_several_statements_on_a_line_the_line_is_quoted(tmp_path: Path) -> None:
    line = line_of(tmp_path, "for x in y:\n    a.zero_grad(); b.step()\n", 2)

    assert code_at(line) == "a.zero_grad(); b.step()"
    assert (locate(line).line, locate(line).column) == (2, 1)


def test_of_a_loop_on_one_line_its_body_is_quoted(tmp_path: Path) -> None:
    line = line_of(tmp_path, "for x in y: x.backward()\n", 1)

    assert code_at(line) == "x.backward()"


def test_a_line_that_cannot_be_read_is_named_by_its_number(tmp_path: Path) -> None:
    assert code_at(Line(str(tmp_path / "gone.py"), 7)) == "line 7"
