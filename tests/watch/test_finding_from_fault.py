"""What a finding says of its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle import Fault, Tally
from zerograd.severity import Severity
from zerograd.source.lines import CallSite, Line
from zerograd.watch.report.finding_from_fault import code_at, findings, locate

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


def said_of_a_kept_graph(folder: Path, source: str, *, deposits_it: bool) -> str:
    place, tally = CallSite(line_of(folder, source, 1)), Tally()
    fault = Fault(
        rule="kept-graph",
        severity=Severity.WARNING,
        place=place,
        readings={"deposits_it": deposits_it},
    )
    tally.add([fault])
    [finding] = findings(tally)
    return finding.message


def test_a_deposit_is_not_said_to_keep_a_graph(tmp_path: Path) -> None:
    said = said_of_a_kept_graph(tmp_path, "loss.backward()\n", deposits_it=True)

    assert said == "`loss.backward()` deposits losses that are kept afterwards, each with its graph"


def test_a_sum_is_said_to_keep_it(tmp_path: Path) -> None:
    said = said_of_a_kept_graph(tmp_path, "total += loss\n", deposits_it=False)

    assert said == "`total += loss` keeps the graph of every loss alive"
