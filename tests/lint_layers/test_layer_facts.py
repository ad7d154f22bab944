"""The facts of a step as lint sees them, before anything is judged."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import TYPE_CHECKING

import pytest

from zerograd.lifecycle.verdicts.accumulation import SumFacts
from zerograd.lifecycle.verdicts.verdict import Unknown
from zerograd.lint import Analyser, Project, Source
from zerograd.lint.checks.evidence.counted_windows import sum_facts
from zerograd.lint.checks.evidence.step_facts import step_facts
from zerograd.lint.checks.evidence.windows import windows

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.verdict import Fact
    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.roots import Root

PRELUDE = dedent("""\
    import torch
    model = torch.nn.Linear(3, 1)
    other = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rival = torch.optim.SGD([*other.parameters()], lr=0.1)
""")


class Listening(Analyser):
    """Keeps what the checks are given."""

    def __init__(self) -> None:
        super().__init__(Project(), repairs=False)
        self.cases: list[Case] = []

    def run(self, plan: RootPlan, root: Root) -> Case:
        self.cases.append(super().run(plan, root))
        return self.cases[-1]


def case_of(program: str) -> Case:
    analyser = Listening()
    analyser.analyse(Source("train.py", PRELUDE + program))
    return max(analyser.cases, key=lambda case: len(case.plan.events))


def facts_of(body: str, name: str) -> list[Fact]:
    """Return each value that a fact has at a step of `optimizer` in a loop, in order."""
    case = case_of("for x in loader:\n" + indent(dedent(body), "    "))
    at = next(i for i, item in enumerate(case.plan.holders) if item.label == "optimizer")
    facts = [step_facts(seen, case) for seen in case.steps() if seen.at == at]
    return list(dict.fromkeys(getattr(item, name) for item in facts))


BACK = "loss = model(x).mean()\nloss.backward()\n"
STEP = "optimizer.step()\n"
CLEAR = "optimizer.zero_grad()\n"
BY_HAND = "for p in model.parameters():\n    p.grad = clean(p)\n"


@pytest.mark.parametrize(
    ("body", "name", "values"),
    [
        (CLEAR + BACK + STEP, "holds_mixed", [False]),
        (CLEAR + BACK + STEP, "empty", [False]),
        (CLEAR + BACK + STEP, "deposited", [True]),
        (BACK + STEP, "holds_mixed", [False, True]),
        (BACK + CLEAR + STEP, "empty", [True]),
        (BACK + CLEAR + STEP, "thrown_away", [True]),
        (CLEAR + BACK + STEP, "thrown_away", [False]),
        (
            BACK + "kept = [p.grad.clone() for p in model.parameters()]\n" + CLEAR + STEP,
            "used",
            [True],
        ),
        (BACK + CLEAR + STEP, "used", [False]),
        (CLEAR + BACK + STEP + STEP, "holds_spent", [False, True]),
        (CLEAR + BACK + BY_HAND + STEP, "written", [True]),
        (CLEAR + STEP, "deposited", [False]),
        (CLEAR + STEP, "ever_deposited", [False]),
    ],
)
def test_a_step_meets_what_the_program_left_there(body: str, name: str, values: list[Fact]) -> None:
    assert facts_of(body, name) == values


def test_an_optimizer_that_cannot_be_followed_makes_its_account_unknown() -> None:
    program = "train_step(optimizer)\n" + BACK + STEP

    assert facts_of(program, "holds_mixed") == [Unknown("account-followed")]


def test_what_one_path_does_not_show_is_judged_on_the_others() -> None:
    program = "if wide(x):\n    train_step(optimizer)\n" + CLEAR + BACK + STEP

    assert facts_of(program, "holds_mixed") == [False]


def test_what_was_written_in_place_may_or_may_not_leave_the_old_deposits_there() -> None:
    program = BACK + "for p in model.parameters():\n    p.grad.mul_(0.5)\n" + STEP

    assert facts_of(program, "holds_mixed") == [False, Unknown("not-written")]


def test_a_deposit_that_a_rival_spent_first_is_left_behind() -> None:
    program = """\
        rival.zero_grad()
        other(model(x)).mean().backward()
        rival.step()
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    """

    assert facts_of(program, "left_behind") == [True]
    assert facts_of(program, "newest_is_its_own") == [True]


def test_a_backward_for_another_optimizer_is_a_deposit_elsewhere() -> None:
    other = "other(x).mean().backward()\nrival.step()\nrival.zero_grad()\n"

    assert facts_of(BACK + STEP + CLEAR + other + STEP, "deposited_elsewhere") == [False, True]
    assert facts_of(BACK + STEP + CLEAR + STEP, "deposited_elsewhere") == [False]


WINDOW = "for i, x in enumerate(loader):\n" + indent(
    BACK + "if (i + 1) % 4 == 0:\n" + indent(STEP + CLEAR, "    "), "    "
)


def test_a_window_sums_what_lies_there_more_than_once() -> None:
    case = case_of(WINDOW)

    assert [sum_facts(case, window) for window in windows(case)] == [
        SumFacts(several=True, written=False, singly=False)
    ]


def test_a_loop_that_steps_each_time_has_no_window() -> None:
    assert windows(case_of("for x in loader:\n" + indent(CLEAR + BACK + STEP, "    "))) == []
