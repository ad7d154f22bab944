"""A run that is cut in mid-window on every rank, and taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from rank_cases import MODELS, Loader, flat, mean_loss, weights
from rank_scenes import said
from torch.distributed.checkpoint.state_dict_loader import load
from torch.distributed.checkpoint.state_dict_saver import save

import zerograd

if TYPE_CHECKING:
    from torch import Tensor

CUT = 5
SIZES = [
    [4, 2, 7, 1, 5, 3, 2, 2],
    [3, 5, 2, 6, 1, 4, 3, 5],
    [1, 1, 3, 2, 6, 2, 5, 4],
    [2, 6, 1, 3, 2, 7, 1, 3],
]
SYNC = {"ddp": "window", "fsdp": "micro-batch"}


def build(kind: str, sync: str | None = None) -> tuple[Any, Any, zerograd.Gradients]:
    model = MODELS[kind]()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(
        optimizer, model=model, accumulate=4, clip_norm=0.5, sync=sync or SYNC[kind]
    )
    return model, optimizer, gradients


def run(model: Any, gradients: zerograd.Gradients, micro_batches: int = 8) -> None:
    """Train on so many micro-batches, or to the end of the epoch."""
    for inputs, targets in gradients.batches(Loader(SIZES[dist.get_rank()])):
        gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
        micro_batches -= 1
        if not micro_batches:
            break


def uncut(kind: str) -> Tensor:
    model, _, gradients = build(kind)
    run(model, gradients)
    return flat(weights(model))


def from_files(kind: str, folder: str) -> bool:
    """One file a rank; whether the run ends as one that was never cut, bit for bit."""
    path = f"{folder}/rank-{dist.get_rank()}.pt"
    model, _, gradients = build(kind)
    run(model, gradients, CUT)
    zerograd.checkpoint(path, gradients, model=model)
    gradients.discard()
    model, _, gradients = build(kind)
    zerograd.resume(path, gradients, model=model)
    run(model, gradients)
    return torch.equal(flat(weights(model)), uncut(kind))


def from_distributed_checkpoint(kind: str, folder: str) -> bool:
    """The same through torch.distributed.checkpoint, the engine handed over as it is."""
    model, _, gradients = build(kind)
    run(model, gradients, CUT)
    save({"model": model.state_dict(), "gradients": gradients}, checkpoint_id=folder)
    gradients.discard()
    model, _, gradients = build(kind)
    state = {"model": model.state_dict(), "gradients": gradients}
    load(state, checkpoint_id=folder)
    model.load_state_dict(state["model"])
    run(model, gradients)
    return torch.equal(flat(weights(model)), uncut(kind))


def saved_in_a_private_sum() -> str:
    model, _, gradients = build("fsdp", "window")
    run(model, gradients, CUT)
    sentence = said(gradients.state_dict)
    gradients.discard()
    return sentence


def loaded_by_another_rank() -> str:
    _, _, gradients = build("ddp")
    states: list[Any] = [None, None]
    dist.all_gather_object(states, gradients.state_dict())
    return said(lambda: gradients.load_state_dict(states[1 - dist.get_rank()]))


def saved_to_one_path(folder: str) -> tuple[str, bool]:
    """All ranks save to one name; what a rank says on resuming, and whether it is as it was."""
    path = f"{folder}/run.pt"
    model, _, gradients = build("ddp")
    run(model, gradients, CUT)
    for _ in range(5):
        zerograd.checkpoint(path, gradients, model=model)
    dist.barrier()
    before = flat(weights(model)), gradients.state_dict()
    sentence = said(lambda: zerograd.resume(path, gradients, model=model))
    after = flat(weights(model)), gradients.state_dict()
    gradients.discard()
    return sentence.replace(path, "run.pt"), torch.equal(before[0], after[0]) and before[
        1
    ] == after[1]


def damaged_state() -> str:
    _, _, gradients = build("ddp")
    state = gradients.state_dict()
    return said(lambda: gradients.load_state_dict(dict.fromkeys(state, b"damaged")))
