"""The classic bugs of training over ranks, on four of them: found, and silent once repaired."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from rank_programs import RankRun, run_ranks
from script_expectations import SCRIPTS
from test_rank_processes import UNEVEN

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.findings import Finding


@dataclass(frozen=True, slots=True)
class Bug:
    """A program of tests/scripts, and the change that repairs it."""

    program: str
    code: str
    wrong: str
    right: str


FLAG = "            self.model.require_backward_grad_sync = micro_step == self.micro_steps - 1"
FORWARD = "            logits = self.model(x)\n"
LOSS = "            loss = self.criterion(logits, y) / self.micro_steps\n"
OPTIMIZER = "    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)"
SHARD = '    fully_shard(model, mesh=init_device_mesh("cpu", (4,)))'

BUGS = {
    "bare module called": Bug(
        "wrapper_bypassed/broken_bare_module",
        "ZG503",
        "outputs = model(x)",
        "outputs = ddp_model(x)",
    ),
    "hooks lost after a move": Bug(
        "ranks_diverge/broken_cast_after_wrapping",
        "ZG502",
        "DDP(nn.Linear(6, 2))\n    model = model.to(torch.float64)",
        "DDP(nn.Linear(6, 2).to(torch.float64))",
    ),
    "sync flag set after forward": Bug(
        "never_synced/broken_flag_after_forward",
        "ZG501",
        f"{FORWARD}{LOSS}{FLAG}",
        f"{FLAG}\n{FORWARD}{LOSS}",
    ),
    "no_sync inverted": Bug(
        "never_synced/broken_inverted",
        "ZG501",
        "model.no_sync() if last else nullcontext()",
        "nullcontext() if last else model.no_sync()",
    ),
    "no_sync off by one": Bug(
        "never_synced/broken_off_by_one",
        "ZG501",
        "micro_step + 1 == accumulation_steps - 1",
        "micro_step + 1 == accumulation_steps",
    ),
    "optimizer built before wrapping": Bug(
        "stale_optimizer/broken_before_sharding",
        "ZG306",
        f"{OPTIMIZER}\n{SHARD}",
        f"{SHARD}\n{OPTIMIZER}",
    ),
}

every_bug = pytest.mark.parametrize("bug", BUGS.values(), ids=BUGS)


def on_four(program: str) -> str:
    """Return a program of two ranks as one of four, without its comments."""
    text = re.sub(r"  # ZG.*", "", (SCRIPTS / f"{program}.py").read_text())
    for two in ("world_size=2", "nprocs=2"):
        assert two in text
        text = text.replace(two, two.replace("2", "4"))
    return text.replace("(2,)", "(4,)")


def run(source: str, folder: Path) -> RankRun:
    (folder / "train.py").write_text(source)
    return run_ranks(folder / "train.py", folder / "run", watched=True)


def errors(ended: RankRun) -> list[Finding]:
    return [found for found in ended.results.findings if str(found.severity) != "hint"]


@every_bug
def test_it_is_found_on_four_ranks(bug: Bug, tmp_path: Path) -> None:
    ended = run(on_four(bug.program), tmp_path)

    assert ended.status == 0, ended.complaints
    assert [(found.rule.code, found.process) for found in errors(ended)] == [
        (bug.code, "ranks 0 to 3")
    ]


@every_bug
def test_it_is_silent_once_repaired(bug: Bug, tmp_path: Path) -> None:
    source = on_four(bug.program)
    assert bug.wrong in source

    ended = run(source.replace(bug.wrong, bug.right), tmp_path)

    assert ended.status == 0, ended.complaints
    assert errors(ended) == []


def test_a_rank_with_fewer_batches_than_three_others_is_named(tmp_path: Path) -> None:
    source = UNEVEN.replace("=2", "=4").replace("6 - 2 * rank", "6 - 2 * (rank == 2)")

    ended = run(source, tmp_path)

    told = (
        " waited in its backward 5 for rank 2, which ended after 4: "
        "give every rank as many batches, or use `with model.join():`"
    )
    assert any(note.endswith(told) for note in ended.results.notes)


def test_ranks_with_as_many_batches_have_nothing_to_say(tmp_path: Path) -> None:
    source = UNEVEN.replace("=2", "=4").replace("6 - 2 * rank", "6")

    ended = run(source, tmp_path)

    assert (ended.status, errors(ended)) == (0, [])
    assert not any("waited" in note for note in ended.results.notes)
