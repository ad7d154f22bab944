"""Real ranks of torchrun: one report, whoever of them dies, with torchrun's own status.

Each run costs an import of torch for every process, so there are few. The ranks' last words to
each other are DDP's own: a process that finalises right after another collective may be aborted.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from rank_programs import run_ranks
from warm_python import warm_python

if TYPE_CHECKING:
    from pathlib import Path

TRAINING = """
import os, signal, sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(rank)
for step in range(6):
    loss = model(torch.randn(8, 4)).square().mean()
    loss.backward()
    if rank == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    if "die" in sys.argv and rank == 1 and step == 3:
        os.kill(os.getpid(), signal.SIGKILL)
"""

UNEVEN = """
import os, tempfile
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(6 - 2 * rank):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).square().mean().backward()
        optimizer.step()

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        mp.start_processes(train, args=(store,), nprocs=2, start_method="fork")
"""

FORMAT = ("-q", "--format", "json")


def run(
    folder: Path, *command: str, python: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Run Python on the training."""
    (folder / "train.py").write_text(TRAINING)
    alone = os.environ | {"TMPDIR": str(folder), "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    return subprocess.run([python, *command], cwd=folder, capture_output=True, text=True, env=alone)


def found(report: str) -> list[tuple[Any, ...]]:
    """Return the findings of the one JSON report that there is."""
    listed = json.loads(report)["findings"]
    return [(each["code"], each["line"], each["process"], each["count"]) for each in listed]


def test_torchrun_of_watchers_is_one_report_though_a_rank_was_killed(tmp_path: Path) -> None:
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")

    ended = run(tmp_path, *torchrun, "-m", "zerograd", "watch", *FORMAT, "train.py", "die")

    assert ended.returncode == 1
    assert found(ended.stdout) == [
        ("ZG101", 16, "ranks 0 and 1", 6),
        ("ZG502", 19, "ranks 0 and 1", 4),
    ]


ENDLESS = """
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
model = DDP(nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
while True:
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    time.sleep(0.01)
    Path(f"rank{dist.get_rank()}").touch()
"""


@pytest.mark.skipif(
    "ZEROGRAD_ROBUSTNESS" not in os.environ, reason="`make robustness`: four processes of torch"
)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_torchrun_ends_watched_ranks_as_it_ends_others_and_they_report(
    number: signal.Signals, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(ENDLESS)
    alone = os.environ | {"TMPDIR": str(tmp_path), "GLOO_SOCKET_IFNAME": "lo"}
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    process = subprocess.Popen(
        [sys.executable, *torchrun, "-m", "zerograd", "watch", *FORMAT, "train.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=alone,
    )
    while len(list(tmp_path.glob("rank?"))) < 2:
        assert process.poll() is None
        time.sleep(0.1)
    time.sleep(2)

    process.send_signal(number)
    said, _ = process.communicate(timeout=120)

    assert process.returncode == 1  # as without watch
    assert [code for code, *_ in found(said)] == ["ZG101"]


def test_nproc_starts_the_ranks_itself(tmp_path: Path) -> None:
    watch = ("-m", "zerograd", "watch", "--nproc", "2", "--strict", *FORMAT)

    ended = run(tmp_path, *watch, "train.py", python=warm_python())

    assert ended.returncode == 1
    assert found(ended.stdout) == [
        ("ZG101", 16, "ranks 0 and 1", 10),
        ("ZG502", 19, "ranks 0 and 1", 6),
    ]


def test_a_rank_that_raises_is_named_and_has_no_fewer_batches(tmp_path: Path) -> None:
    raising = UNEVEN.replace("6 - 2 * rank", "6").replace(
        "        optimizer.zero_grad()",
        """        if rank == 1 and _ == 4:
            raise LookupError("no such file")
        optimizer.zero_grad()""",
    )
    (tmp_path / "train.py").write_text(raising)

    ended = run_ranks(tmp_path / "train.py", tmp_path / "run", watched=True)

    assert ended.status == 1
    assert not any("as many batches" in note for note in ended.results.notes)


def test_a_rank_with_fewer_batches_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(UNEVEN)

    ended = run_ranks(tmp_path / "train.py", tmp_path / "run", watched=True)

    assert ended.status == 1
    assert ended.results.notes[0] == (
        "rank 0 waited in its backward 5 for rank 1, which ended after 4: "
        "give every rank as many batches, or use `with model.join():`"
    )
