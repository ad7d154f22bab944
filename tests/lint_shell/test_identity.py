"""A fingerprint is made of the function and the statement, whatever line they are on."""

from __future__ import annotations

import ast

from zerograd.findings import Finding, Location
from zerograd.lint.program.source_file import Source
from zerograd.lint.shell.finding_identity import identities, place
from zerograd.rules import find_rule

TEXT = """\
class Trainer:
    def fit(self, data):
        for batch in data:  # every batch
            loss = self.loss(
                batch,
            )
            loss.backward()  # deposit
"""


def placed(line: int) -> tuple[str, str]:
    return place(line, Source("train.py", TEXT), ast.parse(TEXT))


def test_a_statement_is_found_in_its_function() -> None:
    assert placed(7) == ("Trainer.fit", "loss.backward()")


def test_a_statement_of_several_lines_is_one() -> None:
    assert placed(5) == placed(4) == ("Trainer.fit", "loss = self.loss( batch, )")


def test_of_a_loop_only_the_header_counts() -> None:
    assert placed(3) == ("Trainer.fit", "for batch in data:")


def test_equal_statements_in_one_function_have_different_identities() -> None:
    rule = find_rule("missing-zero")
    source = Source("train.py", "loss.backward()\nloss.backward()\n")
    findings = [
        Finding(rule=rule, severity=rule.severity, location=Location("train.py", n), message="m")
        for n in (1, 2)
    ]

    first, second = identities(findings, "train.py", source, ast.parse(source.text))

    assert first != second
