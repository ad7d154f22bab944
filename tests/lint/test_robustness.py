"""Strange input: deep, long, recursive or broken programs end, and end honestly."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zerograd.lint import Analyser, Project, Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint import Analysis


def test_a_sum_of_twenty_thousand_terms_is_read(analyse: Callable[[str], Analysis]) -> None:
    found = analyse("loss = " + " + ".join(["x"] * 20_000) + "\nloss.backward()\n")

    assert found.loops == []


def test_a_chain_of_two_thousand_elifs_is_read(loud: Callable[[str], list[str]]) -> None:
    chain = "if x == 0:\n    pass\n" + "".join(
        f"elif x == {number}:\n    optimizer.step()\n" for number in range(1, 2_000)
    )

    assert loud(chain) == []


def test_recursion_ends(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        def train(depth):
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
            train(depth - 1)

        train(3)
    """)

    assert found == []


def test_where_states_are_too_many_the_reach_says_that_clearing_was_not_judged(
    analyse: Callable[[str], Analysis],
) -> None:
    tests = "".join(
        f"    if flags[{number}]:\n        heads[{number}].step()\n" for number in range(12)
    )
    names = ", ".join(f"torch.optim.SGD([p{number}], lr=1)" for number in range(12))
    program = f"heads = [{names}]\nfor x in loader:\n    model(x).sum().backward()\n{tests}"

    found = analyse(program)

    (loop,) = found.loops
    assert loop.families is not None
    assert loop.families["clearing"][0].lacks == (
        "what happened to the gradients before can be followed",
    )
    assert [item for item in found.findings if item.severity != "hint"] == []


def test_one_optimizer_is_judged_where_seven_others_make_too_many_states(
    loud: Callable[[str], list[str]],
) -> None:
    numbers = range(8)
    built = "".join(
        f"net{n} = nn.Linear(2, 1)\nopt{n} = torch.optim.SGD(net{n}.parameters(), lr=1)\n"
        for n in numbers
    )
    cleared = "".join(f"    opt{n}.zero_grad()\n" for n in numbers[:7])
    total = " + ".join(f"net{n}(x)" for n in numbers)
    stepped = "".join(f"    if flags[{n}]:\n        opt{n}.step()\n" for n in numbers[:7])
    program = (
        f"{built}for x in loader:\n{cleared}"
        f"    ({total}).sum().backward()\n{stepped}    opt7.step()\n"
    )

    found = loud(program)

    assert found == ["25 ZG101"]


def test_a_syntax_error_is_the_callers_to_report() -> None:
    with pytest.raises(SyntaxError):
        Analyser(Project()).analyse(Source("train.py", "for x in:\n"))


def test_the_standard_library_is_read_without_a_crash() -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    analyser = Analyser(Project())

    found = [
        item
        for name in ("ast.py", "argparse.py", "asyncio/tasks.py", "typing.py", "decimal.py")
        for item in analyser.analyse(Source(name, (folder / name).read_text("utf-8"))).findings
    ]

    assert found == []
