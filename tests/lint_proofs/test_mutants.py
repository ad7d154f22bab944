"""Lint finds most faults that a machine makes, and the machine makes faults.

All of them are counted by `make mutants`, which writes docs/mutation-rates.md.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING
from zlib import crc32

from mutations import mutants
from rates import right_programs, trials

if TYPE_CHECKING:
    from pathlib import Path

    from mutations import Mutant

ONE_OF = 16
"""Programs, by the sums of their names: one that is added changes nobody else's turn."""

FLOOR = 0.75
"""Of the mutants in the sample that spend other gradients; docs/mutation-rates.md has the rate."""

LOOP = """\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in batches:
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
"""


def sources(program: str) -> dict[str, str]:
    return {f"{item.what} {item.how}": item.source for item in mutants(program)}


def test_a_deleted_line_leaves_a_pass_in_its_place() -> None:
    assert sources(LOOP)["clear deleted"] == LOOP.replace("optimizer.zero_grad()", "pass")


def test_a_line_is_moved_past_the_next_line_that_matters() -> None:
    assert sources(LOOP)["clear moved down"] == LOOP.replace(
        "optimizer.zero_grad()\n    model(x).mean().backward()",
        "pass\n    model(x).mean().backward()\n    optimizer.zero_grad()",
    )


def test_a_line_is_moved_before_its_loop() -> None:
    assert sources(LOOP)["step moved before the loop"] == LOOP.replace(
        "optimizer.step()", "pass"
    ).replace("for x", "optimizer.step()\nfor x")


def test_a_deposit_is_never_touched() -> None:
    assert {name.partition(" ")[0] for name in sources(LOOP)} == {"clear", "step"}


def test_every_mutant_is_a_program() -> None:
    every = [mutant for source in right_programs().values() for mutant in mutants(source)]

    assert len(every) > 100
    assert all(ast.parse(mutant.source).body for mutant in every)


def first_of_each_kind(every: list[Mutant]) -> list[Mutant]:
    """Return few mutants of a program: the first of each kind of line."""
    return list({mutant.what: mutant for mutant in reversed(every)}.values())


def test_lint_finds_most_faults_that_a_machine_makes(tmp_path: Path) -> None:
    programs = {
        name: source
        for name, source in right_programs().items()
        if crc32(str(name).encode()) % ONE_OF == 0
    }

    done = list(trials(programs, first_of_each_kind, tmp_path))

    changed = [trial for trial in done if trial.differs]
    assert len(changed) >= 20
    assert sum(bool(trial.found) for trial in changed) >= FLOOR * len(changed)
