"""Repairs: what is offered, and that nothing is offered which the analysis does not accept."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

from zerograd.lint import Analyser, Project, Source
from zerograd.lint.repair.place import applied

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint import Analysis


def repaired(program: str) -> str:
    """The program after its one repair."""
    source = Source("train.py", dedent(program))
    fixes = [item.fix for item in Analyser(Project()).analyse(source).findings if item.fix]
    return applied(fixes[0].edits, source)


MISSING = """\
    import torch
    net = torch.nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in data:
        loss = net(x).mean()
    \tloss.backward()
""".replace("    \tloss", "        loss")


def test_missing_zero_is_repaired_before_the_backward() -> None:
    after = repaired(MISSING + "        opt.step()\n")

    assert "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n" in after


def test_line_endings_are_kept() -> None:
    program = dedent(MISSING + "        opt.step()\n").replace("\n", "\r\n")

    after = repaired(program)

    assert "    opt.zero_grad()\r\n    loss.backward()\r\n" in after


def test_a_window_is_cleared_after_its_step() -> None:
    after = repaired(
        MISSING.replace("net(x).mean()", "net(x).mean() / 4").replace(
            "for x in data", "for i, x in enumerate(data)"
        )
        + "        if (i + 1) % 4 == 0:\n            opt.step()\n"
    )

    assert "        opt.step()\n        opt.zero_grad()\n" in after


def test_a_clear_before_the_step_is_moved() -> None:
    after = repaired(MISSING + "        opt.zero_grad()\n        opt.step()\n")

    assert "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n" in after
    assert after.count("zero_grad") == 1


def test_a_window_is_divided_at_the_deposit_and_the_loss_keeps_its_value() -> None:
    after = repaired(
        MISSING.replace("for x in data", "for i, x in enumerate(data)")
        + "        if (i + 1) % accum == 0:\n            opt.step()\n            opt.zero_grad()\n"
    )

    assert "    (loss / accum).backward()\n" in after


def test_no_repair_where_no_line_can_be_inserted(analyse: Callable[[str], Analysis]) -> None:
    found = analyse("for x in loader: model(x).sum().backward(); optimizer.step()\n").findings

    assert [(item.rule.code, item.fix) for item in found if item.severity == "error"] == [
        ("ZG101", None)
    ]
