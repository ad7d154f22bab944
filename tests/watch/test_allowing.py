"""What is meant is not reported: `zerograd.allow`, pragmas, and ignores of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from faulty_training import never_clear

import zerograd

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.watch.api.watching import Watching


def names(watching: Watching) -> list[str]:
    """Return the names of the rules that were found."""
    return [finding.rule.name for finding in watching.findings]


def model_and_optimizer() -> tuple[torch.nn.Linear, torch.optim.Optimizer]:
    """Return something to train."""
    model = torch.nn.Linear(3, 1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def run_file(folder: Path, source: str, **options: Any) -> Watching:
    """Run a program of its own file under watch and return what was watched."""
    file = folder / "program.py"
    file.write_text(source)
    with zerograd.watch(report=False, **{"preview": True, **options}) as watching:
        exec(compile(source, str(file), "exec"), {})
    return watching


PROGRAM = """
import torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.ones(4, 3)).mean().backward()  # a comment
    optimizer.step()
"""


def test_allowing_the_whole_loop_silences_it() -> None:
    with zerograd.watch(preview=True, report=False) as watching, zerograd.allow("missing-zero"):
        never_clear()

    assert names(watching) == []


def test_allowing_another_rule_silences_nothing() -> None:
    with zerograd.watch(preview=True, report=False) as watching, zerograd.allow("spent-twice"):
        never_clear()

    assert names(watching) == ["missing-zero"]


def test_allowing_the_line_at_fault_is_enough() -> None:
    model, optimizer = model_and_optimizer()

    with zerograd.watch(preview=True, report=False) as watching:
        for _ in range(3):
            loss = model(torch.ones(4, 3)).mean()
            with zerograd.allow("missing-zero"):
                loss.backward()
            optimizer.step()

    assert names(watching) == []


def test_allowing_the_step_that_is_judged_is_enough() -> None:
    model, optimizer = model_and_optimizer()

    with zerograd.watch(preview=True, report=False) as watching:
        for _ in range(3):
            model(torch.ones(4, 3)).mean().backward()
            with zerograd.allow("missing-zero"):
                optimizer.step()

    assert names(watching) == []


def test_a_line_that_was_allowed_once_is_not_allowed_for_good() -> None:
    model, optimizer = model_and_optimizer()

    def train() -> None:
        for _ in range(3):
            model(torch.ones(4, 3)).mean().backward()
            optimizer.step()

    with zerograd.watch(preview=True, report=False) as watching:
        for train_once in (zerograd.allow("missing-zero")(train), train):
            train_once()

    assert [(finding.rule.name, finding.count) for finding in watching.findings] == [
        ("missing-zero", 3)
    ]


def test_a_program_without_a_pragma_is_reported(tmp_path: Path) -> None:
    watching = run_file(tmp_path, PROGRAM)

    assert names(watching) == ["missing-zero"]


def test_a_pragma_on_the_line_silences_it(tmp_path: Path) -> None:
    pragma = "# zerograd: ignore[missing-zero]"

    watching = run_file(tmp_path, PROGRAM.replace("# a comment", pragma), hints=True, ignore="ZG7")

    assert names(watching) == []


def test_a_pragma_that_silences_nothing_on_a_line_that_ran_is_unused(tmp_path: Path) -> None:
    pragma = "# zerograd: ignore[missing-zero, backward-twice]"

    watching = run_file(tmp_path, PROGRAM.replace("# a comment", pragma), select="ZG002")

    assert [(finding.rule.name, finding.message) for finding in watching.findings] == [
        ("unused-ignore", "`backward-twice` silences nothing here")
    ]


def test_a_pragma_on_a_line_that_never_ran_is_not_judged(tmp_path: Path) -> None:
    never = "if not model:\n    loss.backward()  # zerograd: ignore[missing-zero]\n"

    watching = run_file(tmp_path, PROGRAM + never, select="ZG002")

    assert names(watching) == []


def test_a_pragma_stops_fail_fast_too(tmp_path: Path) -> None:
    pragma = "# zerograd: ignore[missing-zero]"

    watching = run_file(tmp_path, PROGRAM.replace("# a comment", pragma), fail_fast=True)

    assert names(watching) == []


def test_rules_can_be_ignored_in_files(tmp_path: Path) -> None:
    settings = tmp_path / "zerograd.toml"
    settings.write_text('per-file-ignores = {"program.py" = ["missing-zero"]}\n')

    watching = run_file(tmp_path, PROGRAM, config=settings)

    assert names(watching) == []


def test_ignores_of_other_files_silence_nothing(tmp_path: Path) -> None:
    settings = tmp_path / "zerograd.toml"
    settings.write_text('per-file-ignores = {"other.py" = ["missing-zero"]}\n')

    watching = run_file(tmp_path, PROGRAM, config=settings)

    assert names(watching) == ["missing-zero"]
