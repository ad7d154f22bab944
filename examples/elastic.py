"""A rank is killed under torchrun, which restarts all of them: the run ends as if nothing happened.

Each rank saves after every sixth micro-batch, in the middle of a window of four, and keeps its last
two files: a rank that is ahead of the killed one has saved once more, so the newest moment that all
ranks have is the earlier of their newest. Started by itself this program runs the training twice
under torchrun, once with a kill, and compares the weights.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import zerograd

RANKS, EPOCHS, WINDOW, SAVE_EVERY = 2, 3, 4, 6
KILLED_AT = 20  # two micro-batches after the last save, which has three of a window of four


def newest(folder: Path, rank: int) -> int:
    """Return the last moment of which this rank has a file; 0 before the first."""
    moments = [int(file.stem.split("-")[1]) for file in folder.glob(f"{rank}-*.pt")]
    return max(moments, default=0)


def meet() -> int:
    """Join the other ranks, and return this one's number.

    torchrun keeps one store over all attempts (torch 2.13): without a prefix of its own a restarted
    rank may find the address of one that is dead, and wait for it.
    """
    store, rank, ranks = next(rendezvous("env://"))
    attempt = PrefixStore(os.environ["TORCHELASTIC_RESTART_COUNT"], store)
    dist.init_process_group("gloo", store=attempt, rank=rank, world_size=ranks)
    return dist.get_rank()


def train(folder: Path, kill: bool) -> None:
    rank = meet()
    torch.manual_seed(0)
    model = DistributedDataParallel(
        nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.2), nn.Linear(16, 1))
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=WINDOW, clip_norm=1.0)

    moment = torch.tensor(newest(folder, rank))
    dist.all_reduce(moment, op=dist.ReduceOp.MIN)
    done = int(moment)
    if done:
        zerograd.resume(folder / f"{rank}-{done}.pt", gradients, model=model)
        # In one write: torchrun's Python is unbuffered, and the ranks share a pipe.
        print(f"rank {rank} goes on after micro-batch {done}: {gradients}\n", end="", flush=True)

    data = torch.arange(176.0).reshape(44, 4).sin()
    dataset = TensorDataset(data)
    sampler: DistributedSampler[tuple[torch.Tensor, ...]] = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=2, sampler=sampler)
    for epoch in range(gradients.epoch, EPOCHS):
        sampler.set_epoch(epoch)
        for (inputs,) in gradients.batches(loader):
            loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
            gradients.backward(loss, items=len(inputs))
            done += 1
            if done % SAVE_EVERY == 0:
                zerograd.checkpoint(folder / f"{rank}-{done}.pt", gradients, model=model)
                (folder / f"{rank}-{done - 2 * SAVE_EVERY}.pt").unlink(missing_ok=True)
            if kill and done == KILLED_AT and rank == 1:
                os.kill(os.getpid(), signal.SIGKILL)
    if rank == 0:
        torch.save(model.module.state_dict(), folder / "trained.pt")
    dist.barrier()
    # gloo's threads may abort an interpreter that is being finalised (torch 2.13), which torchrun
    # would take for one more rank that died.
    sys.stdout.flush()
    os._exit(0)


def trained(folder: Path, *arguments: str) -> dict[str, torch.Tensor]:
    """Return the weights of a run under torchrun."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    options = [f"--nproc-per-node={RANKS}", "--max-restarts=1"]
    command = [*torchrun, *options, __file__, str(folder), *arguments]
    subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    weights: dict[str, torch.Tensor] = torch.load(folder / "trained.pt")
    return weights


def main() -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        whole, killed = trained(Path(one)), trained(Path(other), "kill")
    assert all(torch.equal(whole[name], killed[name]) for name in whole)
    print("identical")


if __name__ == "__main__":
    if "TORCHELASTIC_RESTART_COUNT" in os.environ:
        is_first = os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
        train(Path(sys.argv[1]), kill=is_first and "kill" in sys.argv)
    else:
        main()
