"""`zerograd prove`: whether a script's windows spend the gradients of their batches."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from warm_python import warm_python

from zerograd.cli.prove import told
from zerograd.watch.process.journal import Journal
from zerograd.watch.report.proof import Proof, proofs

SCRIPTS = Path(__file__).parents[1] / "scripts" / "unequal_micro_batches"


def prove(*arguments: str) -> tuple[int, str, str]:
    ran = subprocess.run(
        [warm_python(), "-m", "zerograd", "prove", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return ran.returncode, ran.stdout, ran.stderr


def window(cosine: float | None, deposits: int = 4, **more: object) -> dict[str, object]:
    known = {"ratio": 1.0, "smallest": 3.0, "largest": 40.0, "items": 80.0, "weight": 1.0}
    return {"optimizer": "SGD", "number": 1, "deposits": deposits, "cosine": cosine} | known | more


def test_a_script_whose_windows_are_right_agrees() -> None:
    status, said, _ = prove(str(SCRIPTS / "correct_mean_times_count.py"))

    assert said.splitlines() == [
        "SGD: 4 windows of 4 micro-batches",
        "  micro-batches are means over 7 to 58 items",
        "  what is spent is the gradient of the batch",
    ]
    assert status == 0


def test_a_script_whose_windows_are_wrong_gets_the_angle() -> None:
    status, said, _ = prove("--steps", "3", str(SCRIPTS / "broken_padded_classification.py"))

    assert said.startswith("SGD: 3 windows of 4 micro-batches\n")
    assert "degrees off the gradient of the batch in the median window" in said
    assert status == 1


def test_a_loss_that_cannot_be_counted_is_said(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\n"
        "weight = torch.ones(3, requires_grad=True)\n"
        "optimizer = torch.optim.SGD([weight], lr=0.1)\n"
        "for _ in range(2):\n"
        "    for _ in range(2):\n"
        "        (weight * torch.randn(3)).norm().backward()\n"
        "    optimizer.step()\n"
        "    optimizer.zero_grad()\n"
    )

    status, said, _ = prove(str(script))

    assert said.splitlines()[-1] == (
        "nothing could be compared: no loss shows how many items it is the mean of"
    )
    assert status == 2


def test_a_torch_that_shows_no_counts_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = Journal(tmp_path)
    journal.write({"process": {"name": "MainProcess", "parent": 1, "torch": "2.5.1"}})
    journal.write({"proof": window(None, smallest=None, largest=None)})
    journal.write({"unheard": ["unequal-micro-batches"]})

    status = told(tmp_path)

    assert capsys.readouterr().out.splitlines()[-1] == (
        "nothing could be compared: torch 2.5.1 does not show how many items a loss is the mean "
        "of; torch 2.10 and newer do"
    )
    assert status == 2


def test_without_a_script_it_says_what_to_type() -> None:
    status, _, said = prove()

    assert "name a script: zerograd prove train.py" in said
    assert status == 2


@pytest.mark.parametrize(("cosine", "agrees"), [(1.0, True), (0.9999999, True), (0.99, False)])
def test_rounding_is_no_difference(cosine: float, agrees: bool) -> None:
    assert Proof("SGD", (window(cosine),)).agrees is agrees


def test_a_step_that_is_too_long_does_not_agree() -> None:
    assert not Proof("SGD", (window(1.0, ratio=1.01),)).agrees


def test_windows_that_were_not_seen_are_counted() -> None:
    [proof] = proofs([window(1.0), window(None, smallest=None, largest=None)], None)

    assert list(proof.sentences())[-1].startswith("  1 window not compared: ")


def test_windows_that_ranks_reduce_are_counted_and_not_compared() -> None:
    [proof] = proofs([window(None) | {"smallest": 2.0, "largest": 40.0}], 0)

    title, items, why = proof.sentences()
    assert title == "SGD, rank 0: 1 window of 4 micro-batches"
    assert items == "  micro-batches are means over 2 to 40 items"
    assert why == (
        "  1 window not compared: ranks reduce in the backward; `zerograd watch` goes by the counts"
    )


def test_two_optimizers_of_one_kind_and_their_rank_are_told_apart() -> None:
    found = proofs([window(1.0), window(1.0, number=2)], 1)

    assert [proof.title for proof in found] == ["SGD 1, rank 1", "SGD 2, rank 1"]


def verdict(*windows: dict[str, object]) -> tuple[bool, str]:
    proof = Proof("SGD", windows)
    return proof.agrees, list(proof.sentences())[-1].strip()


def test_means_that_nothing_divides_do_not_agree() -> None:
    assert verdict(window(1.0, weight=4.0), window(1.0, weight=4.0)) == (
        False,
        (
            "what is spent is the gradient of the batch, as many times as there are micro-batches: "
            "nothing divides their sum"
        ),
    )


def test_a_factor_of_the_loss_is_said_and_agrees() -> None:
    assert verdict(window(1.0, weight=0.5), window(1.0, weight=0.5, items=90.0)) == (
        True,
        "what is spent is the gradient of the batch, times 0.5",
    )


def test_a_divisor_that_never_changes_is_said_and_agrees() -> None:
    assert verdict(window(1.0, weight=0.4), window(1.0, weight=0.6, items=120.0)) == (
        True,
        (
            "what is spent is the gradient of the batch, of a sum over its items that every step "
            "divides by 200"
        ),
    )


# -- the items of other answers (Hugging Face TRL, #6478): counted before they were generated

ANSWERS = """\
import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
WORDS, LONGEST, ACCUMULATE = 12, 24, 4
teacher, student = nn.Linear(6, WORDS).requires_grad_(False), nn.Linear(6, WORDS)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)


def answers(count):
    lengths = torch.randint(1, LONGEST, (count, 1))
    return torch.randn(count, LONGEST, 6), torch.arange(LONGEST) < lengths


for step in range(4):
    prompts = [answers(3) for _ in range(ACCUMULATE)]
    generated = [answers(3) for _ in prompts]
    num_items_in_batch = sum(mask.sum() for _, mask in COUNTED)
    for states, mask in generated:
        divergence = functional.kl_div(
            student(states).log_softmax(-1), teacher(states).softmax(-1), reduction="none"
        ).sum(-1)
        loss = (divergence * mask).sum() / num_items_in_batch
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@pytest.mark.parametrize(
    ("counted", "status", "said"),
    [
        (
            "prompts",
            1,
            ", times 0.76 to 2.3: sums over 104 to 155 items are divided by 67 to 152",
        ),
        ("generated", 0, ""),
    ],
)
def test_a_sum_divided_by_the_items_of_other_answers_does_not_agree(
    counted: str, status: int, said: str, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(ANSWERS.replace("COUNTED", counted))

    found, told, _ = prove(str(script))

    assert told.splitlines() == [
        "SGD: 4 windows of 4 micro-batches",
        "  micro-batches are means over 15 to 56 items",
        f"  what is spent is the gradient of the batch{said}",
    ]
    assert found == status
