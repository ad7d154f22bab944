"""Accelerate: prepare, accumulate, clipping when gradients are synchronised, a scheduler that it wraps."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(80)
    accelerator = Accelerator(gradient_accumulation_steps=3, cpu=True)
    x = torch.randn(80, 6)
    loader = DataLoader(TensorDataset(x, x[:, :1]), batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=12)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for epoch in range(3):
        total = 0.0
        for inputs, targets in loader:
            with accelerator.accumulate(model):
                model.zero_grad()  # ZG103 watch
                loss = nn.functional.mse_loss(model(inputs), targets)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                total += loss.detach().float()
    print(
        "digest",
        sum(p.double().sum().item() for p in accelerator.unwrap_model(model).parameters()).hex(),
    )


if __name__ == "__main__":
    main()
