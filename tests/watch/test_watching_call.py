"""`zerograd.watch()`: a line, a `with` block, a decorator."""

from __future__ import annotations

import asyncio
import os
import sys
from threading import Thread
from typing import TYPE_CHECKING

import pytest
import torch
from faulty_training import clear, never_clear
from torch_as_found import torch_as_found

import zerograd
import zerograd.watch
from zerograd.errors import ArgumentError, FaultError, SettingsError

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.watch.api.watching import Watching


def found(watching: Watching) -> list[tuple[str, int | None]]:
    """Return what was found: the rule's name and how often."""
    return [(finding.rule.name, finding.count) for finding in watching.findings]


def test_the_package_can_be_called_and_is_still_a_package() -> None:
    from zerograd.watch.api.watching import Watching

    watching = zerograd.watch(report=False)
    watching.stop()

    assert isinstance(watching, Watching)
    assert vars(zerograd)["watch"] is sys.modules["zerograd.watch"]


def test_a_line_at_the_top_watches_until_stop() -> None:
    watching = zerograd.watch(preview=True, report=False)
    never_clear(3)
    watching.stop()
    never_clear(3)

    assert found(watching) == [("missing-zero", 2)]


def test_findings_are_there_while_it_runs() -> None:
    with zerograd.watch(preview=True, report=False) as watching:
        never_clear(3)
        during = found(watching)

    assert during == found(watching) == [("missing-zero", 2)]


def test_a_correct_loop_has_no_findings() -> None:
    with zerograd.watch(preview=True, hints=True, ignore="ZG7", report=False) as watching:
        clear()

    assert watching.findings == []


def test_something_is_installed_while_it_listens() -> None:
    before = torch_as_found()

    with zerograd.watch(report=False):
        during = torch_as_found()

    assert during != before


def test_an_exception_passes_through_and_the_findings_stay() -> None:
    watching = zerograd.watch(preview=True, report=False)

    @watching
    def train() -> None:
        never_clear()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train()

    assert found(watching) == [("missing-zero", 2)]
    assert not watching.is_running


def test_a_decorated_function_is_watched_at_each_call_by_itself() -> None:
    watching = zerograd.watch(preview=True, report=False)

    @watching
    def train(steps: int) -> int:
        never_clear(steps)
        return steps

    before = torch_as_found()
    never_clear(9)
    returned = train(3), train(5)

    assert returned == (3, 5)
    assert found(watching) == [("missing-zero", 4)]
    assert torch_as_found() == before


def test_a_decorated_coroutine_is_watched_while_it_runs() -> None:
    watching = zerograd.watch(preview=True, report=False)

    @watching
    async def train() -> str:
        await asyncio.sleep(0)
        never_clear()
        return "done"

    assert asyncio.run(train()) == "done"
    assert found(watching) == [("missing-zero", 2)]


def test_a_generator_cannot_be_decorated() -> None:
    with pytest.raises(ArgumentError) as refusal:

        @zerograd.watch(report=False)
        def batches() -> object:
            yield 1

    assert str(refusal.value) == (
        "zerograd.watch decorates functions, and "
        "test_a_generator_cannot_be_decorated.<locals>.batches is a class or a generator; "
        "write `with zerograd.watch():` around the lines inside it"
    )


def test_nested_stretches_each_have_their_own_findings() -> None:
    with zerograd.watch(preview=True, report=False) as outer:
        never_clear(2)
        with zerograd.watch(preview=True, report=False) as inner:
            never_clear(4)

    assert found(inner) == [("missing-zero", 3)]
    assert found(outer) == [("missing-zero", 4)]


def test_the_same_stretch_entered_twice_ends_with_the_outer_block() -> None:
    with zerograd.watch(preview=True, report=False) as watching:
        with watching:
            never_clear(2)
        never_clear(3)

    assert found(watching) == [("missing-zero", 3)]


def test_a_stretch_that_begins_again_has_forgotten_the_first() -> None:
    watching = zerograd.watch(preview=True, report=False)
    never_clear(5)
    watching.stop()

    watching.start()
    never_clear(2)
    watching.stop()

    assert found(watching) == [("missing-zero", 1)]


def test_training_in_other_threads_is_seen() -> None:
    with zerograd.watch(preview=True, report=False) as watching:
        threads = [Thread(target=never_clear) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert found(watching) == [("missing-zero", 4)]


def test_strict_raises_at_the_end_when_something_was_found() -> None:
    with (
        pytest.raises(FaultError) as refusal,
        zerograd.watch(preview=True, report=False, strict=True),
    ):
        never_clear()

    assert "ZG101 missing-zero: `model(torch.ones(4, 3)).mean().backward()`" in str(refusal.value)


def test_strict_is_content_when_nothing_was_found() -> None:
    with zerograd.watch(preview=True, report=False, strict=True) as watching:
        clear()

    assert watching.findings == []


def test_fail_fast_raises_in_the_step_that_spends() -> None:
    with (
        pytest.raises(FaultError) as refusal,
        zerograd.watch(preview=True, report=False, fail_fast=True) as watching,
    ):
        never_clear(100)

    assert found(watching) == [("missing-zero", 1)]
    assert any(entry.name == "never_clear" for entry in refusal.traceback)


def test_the_report_goes_to_stderr_with_the_code_frame(capsys: pytest.CaptureFixture[str]) -> None:
    with zerograd.watch(preview=True):
        never_clear()

    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("ZG101 missing-zero: ") == 1
    assert "    13 | model(torch.ones(4, 3)).mean().backward()\n       | ^^^" in err
    assert "seen: 1 optimizer, 3 steps, 3 backwards, 2 parameters, 1 process\n" in err


def test_a_quiet_stretch_without_findings_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with zerograd.watch(preview=True, quiet=True):
        clear()

    assert capsys.readouterr() == ("", "")


def test_files_are_written_where_nothing_is_to_be_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, found = tmp_path / "run.html", tmp_path / "found.json"
    with zerograd.watch(preview=True, html=page, format="json", output=found, report=False):
        never_clear()

    assert "missing-zero" in page.read_text()
    assert '"code": "ZG101"' in found.read_text()
    assert capsys.readouterr() == ("", "")


def test_a_report_can_go_to_a_file_in_any_format(tmp_path: Path) -> None:
    with zerograd.watch(preview=True, format="json", output=tmp_path / "found.json", quiet=True):
        never_clear()

    assert '"code": "ZG101"' in (tmp_path / "found.json").read_text()


def test_an_unknown_rule_is_refused_before_anything_is_watched() -> None:
    before = torch_as_found()

    with pytest.raises(SettingsError, match="unknown rule 'missing-zer'"):
        zerograd.watch(select="missing-zer")

    assert torch_as_found() == before


def test_rules_may_be_named_in_a_text_or_in_a_list() -> None:
    with (
        zerograd.watch(select="ZG101, ZG102", report=False) as one,
        zerograd.watch(select=["missing-zero"], report=False) as other,
    ):
        never_clear()

    assert found(one) == found(other) == [("missing-zero", 2)]


def test_a_forked_child_is_left_to_zerograd_watch(capfd: pytest.CaptureFixture[str]) -> None:
    before = torch_as_found()

    with zerograd.watch(preview=True, report=False):
        child = os.fork()
        if not child:
            os._exit(0 if torch_as_found() == before else 1)
        _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0


def clears_inside_the_window(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    for _ in range(3):
        model.zero_grad()
        (model(torch.ones(4, 3)).mean() / 3).backward()
    optimizer.step()
    optimizer.zero_grad()


def test_the_windows_of_an_optimizer_that_was_built_before_are_judged_once_it_is_met() -> None:
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    clears_inside_the_window(model, optimizer)

    with zerograd.watch(report=False) as watching:
        watching.meet(optimizer)
        for _ in range(4):
            clears_inside_the_window(model, optimizer)

    assert found(watching) == [("zero-inside-window", 2)]


def test_an_optimizer_that_is_met_between_its_steps_is_not_accused_of_what_lay_there() -> None:
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(4, 3)).mean().backward()
    optimizer.step()

    with zerograd.watch(report=False) as watching:
        watching.meet(optimizer)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(4, 3)).mean().backward()
            optimizer.step()

    assert found(watching) == []
