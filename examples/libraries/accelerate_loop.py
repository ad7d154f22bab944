"""Accelerate owns accumulation: `step()` and `zero_grad()` are called at every micro-batch.

Read without knowing Accelerate, this loop throws away all but the last micro-batch of a window.
`zerograd` knows that inside `accumulate()` both calls wait for the window's end, and is silent.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
    inputs = torch.randn(64, 3)
    loader = DataLoader(TensorDataset(inputs, inputs.sum(dim=1, keepdim=True)), batch_size=4)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(3):
        for features, targets in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(features), targets)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        print(f"epoch {epoch}: loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
