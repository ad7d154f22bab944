"""What the runner of ranks is tried with."""

from __future__ import annotations

import os
import threading

import torch
import torch.distributed as dist


def total(addend: int) -> int:
    count = torch.tensor(addend + dist.get_rank())
    dist.all_reduce(count)
    return int(count)


def place() -> tuple[int, int, int]:
    return dist.get_rank(), dist.get_world_size(), torch.get_num_threads()


def fail_on_rank_one() -> None:
    if dist.get_rank() == 1:
        raise ValueError("no such batch")


def wait_for_a_rank_that_left() -> None:
    dist.barrier()
    if dist.get_rank() == 1:
        print("leaving", flush=True)
        os._exit(7)
    threading.Event().wait()


def wait_forever() -> None:
    threading.Event().wait()
