"""A batch of 32 where only 8 fit: the same gradient, and a quarter of the memory.

What a batch costs is what its forward keeps for its backward, and that is freed with its
micro-batch. Autograd hands over every tensor that it keeps: here they are counted.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks

import zerograd

SAMPLES = 32


def window(micro_batches: int) -> tuple[int, Tensor]:
    """Spend one window over all samples; return the most bytes kept at once, and the weights."""
    torch.manual_seed(0)
    wide = [layer for _ in range(4) for layer in (nn.Linear(64, 64), nn.Tanh())]
    model = nn.Sequential(*wide, nn.Linear(64, 1))
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), accumulate=micro_batches
    )
    most = 0
    for inputs in torch.randn(SAMPLES, 128, 64).chunk(micro_batches):
        kept: dict[int, int] = {}
        with saved_tensors_hooks(lambda tensor: counted(tensor, kept), lambda tensor: tensor):  # noqa: B023  called before the loop goes on
            loss = model(inputs).square().mean()
        most = max(most, sum(kept.values()))
        gradients.backward(loss, items=len(inputs))
    return most, model.get_parameter("0.weight").detach()


def counted(tensor: Tensor, kept: dict[int, int]) -> Tensor:
    """Note a tensor that is kept; weights are there anyway, and no activation is kept twice."""
    if not isinstance(tensor, nn.Parameter):
        kept[tensor.data_ptr()] = tensor.nbytes
    return tensor


if __name__ == "__main__":
    (whole, at_once), (quarter, in_parts) = window(1), window(4)
    print(f"one batch of 32 keeps {whole / 1e6:.2f} MB")
    print(f"4 x 8 keep            {quarter / 1e6:.2f} MB at once")
    apart = float((at_once - in_parts).abs().max())
    print(f"weights apart by      {apart:.0e}")
    assert quarter < 0.3 * whole
    # A gradient is the mean over 32 * 128 rows of products below 0.1. Summed in another order it
    # moves by one rounding a row at most, and the weight by a tenth of that, the learning rate.
    assert apart < 0.1 * 0.1 * SAMPLES * 128 * 2**-24
