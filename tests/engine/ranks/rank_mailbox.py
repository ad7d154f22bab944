"""Trainings whose ranks tell their counts in shared memory, or over gloo where one cannot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest import mock

import torch.distributed as dist
from rank_cases import Loader, mean_loss, net
from rank_scenes import SIZES, distance, engine
from torch.nn.parallel import DistributedDataParallel

from zerograd import system


def counted(apart: bool) -> tuple[str, float, int | None]:
    """Train with counts; return how they are told, how far off it ends, and the file's names.

    `apart`: rank 1 has another memory than rank 0, as on another machine.
    """
    folder = Path("/nowhere") if apart and dist.get_rank() else system.SHARED_MEMORY
    with mock.patch.object(system, "SHARED_MEMORY", folder):
        model = DistributedDataParallel(net(), process_group=dist.new_group())
        gradients = engine(model, accumulate=4)
        for inputs, targets in gradients.batches(Loader(SIZES[dist.get_rank()])):
            gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
    keeper: Any = gradients._keeper
    talk = keeper.channel._talk
    names = os.fstat(talk._mailbox._file).st_nlink if talk._mailbox else None
    return type(talk._last).__name__, distance(model, SIZES, 4), names
