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
    known = {"ratio": 1.0, "smallest": 3.0, "largest": 40.0}
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
