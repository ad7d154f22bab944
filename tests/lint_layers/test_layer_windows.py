"""Layer: windows. Where a step can find one deposit several times, and what divides it."""

from __future__ import annotations

import ast

import pytest
from layer_programs import case_of

from zerograd.lint.checks.evidence.counted_windows import sum_facts
from zerograd.lint.checks.evidence.divisors import reduction, scaling_of
from zerograd.lint.checks.evidence.windows import windows
from zerograd.lint.knowledge import CallEffect

BACK = "loss = model(x).mean()\nloss.backward()\n"
SPEND = "optimizer.step()\noptimizer.zero_grad()\n"


def looped(body: str, header: str = "for i, x in enumerate(loader):") -> str:
    return f"{header}\n" + "".join(f"    {line}\n" for line in body.splitlines())


def under(test: str, body: str = SPEND) -> str:
    return f"if {test}:\n" + "".join(f"    {line}\n" for line in body.splitlines())


FOUND = {
    "none where every deposit is spent": (looped(BACK + SPEND), []),
    "under a modulo": (looped(BACK + under("(i + 1) % 4 == 0")), ["(i + 1) % 4 == 0"]),
    "under a modulo or the last batch": (
        looped(BACK + under("(i + 1) % 4 == 0 or i + 1 == len(loader)")),
        ["(i + 1) % 4 == 0 or i + 1 == len(loader)"],
    ),
    "under a flag that was assigned from one": (
        looped("last = i % 4 == 3\n" + BACK + under("last")),
        ["last"],
    ),
    "under a name of accumulation": (
        looped(BACK + under("accumulated(i)")),
        ["accumulated(i)"],
    ),
    "under a counter that is set back": (
        "n = 0\n" + looped(BACK + "n += 1\n" + under("n == 4", SPEND + "n = 0\n")),
        ["n == 4"],
    ),
    "none under any other test": (looped(BACK + under("x > 3")), []),
    "with a loop of the deposit's own": (
        looped(looped(BACK, "for x in parts:") + SPEND),
        [None],
    ),
    "none where the other side steps too": (
        looped(BACK + under("i % 4 == 0") + "else:\n    optimizer.step()\n"),
        [],
    ),
    "none where another deposit stands under the same test": (
        looped(BACK + under("i % 4 == 0", "model(x).sum().backward()\n" + SPEND)),
        [],
    ),
}


@pytest.mark.parametrize(("program", "tests"), FOUND.values(), ids=FOUND)
def test_window(program: str, tests: list[str | None]) -> None:
    found = [item.test for item in windows(case_of(program))]

    assert [ast.unparse(test) if test is not None else None for test in found] == tests


def test_accelerate_decides_where_it_accumulates() -> None:
    program = """
        from accelerate import Accelerator
        accelerator = Accelerator(gradient_accumulation_steps=4)
        for x in loader:
            with accelerator.accumulate(model):
                loss = model(x).mean()
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
    """

    assert [item.gated for item in windows(case_of(program))] == [True]


def test_several_deposits_lie_at_the_step_of_a_window() -> None:
    case = case_of(looped(BACK + under("i % 4 == 3")))

    facts = sum_facts(case, windows(case)[0])

    assert (facts.several, facts.written, facts.singly) == (True, False, False)


def test_a_clear_at_each_micro_batch_leaves_one() -> None:
    case = case_of(
        looped("optimizer.zero_grad()\n" + BACK + under("i % 4 == 3", "optimizer.step()"))
    )

    assert sum_facts(case, windows(case)[0]).several is False


DIVIDED = {
    "by nothing": ("model(x).mean().backward()", []),
    "at the deposit": ("(model(x).mean() / 4).backward()", ["4"]),
    "by the name": ("loss = model(x).mean() / k\nloss.backward()", ["k"]),
    "in place": ("loss = model(x).mean()\nloss /= k\nloss.backward()", ["k"]),
    "by an inverse factor": ("loss = model(x).mean() * (1 / k)\nloss.backward()", ["k"]),
    "by `div`": ("model(x).mean().div(k).backward()", ["k"]),
    "through a scaler": ("scaler.scale(model(x).mean() / k).backward()", ["k"]),
    "twice": ("loss = model(x).mean() / a\nloss = loss / b\nloss.backward()", ["b", "a"]),
}


@pytest.mark.parametrize(("body", "divisors"), DIVIDED.values(), ids=DIVIDED)
def test_divisor(body: str, divisors: list[str]) -> None:
    case = case_of(looped(body + "\noptimizer.step()"))
    event = next(item for item in case.plan.events if item.effect is CallEffect.DEPOSIT)

    assert [ast.unparse(item) for item in scaling_of(event).divisors] == divisors


REDUCED = {
    "mean": ("model(x).mean()", "mean"),
    "sum": ("model(x).sum()", "sum"),
    "a functional loss": ("F.mse_loss(model(x), y)", "mean"),
    "a functional loss that sums": ("F.mse_loss(model(x), y, reduction='sum')", "sum"),
    "a loss module": ("nn.CrossEntropyLoss()(model(x), y)", "mean"),
    "who knows": ("criterion(model(x), y)", "unknown"),
}


@pytest.mark.parametrize(("loss", "kind"), REDUCED.values(), ids=REDUCED)
def test_reduction(loss: str, kind: str) -> None:
    case = case_of(looped(f"loss = {loss}\nloss.backward()\noptimizer.step()"))
    event = next(item for item in case.plan.events if item.effect is CallEffect.DEPOSIT)

    assert reduction(scaling_of(event), event, case.resolver) == kind
