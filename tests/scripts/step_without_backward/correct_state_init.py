"""The optimizer's state is created by a step on zero gradients before a checkpoint is loaded into it."""
import torch
from torch import nn


def init_optim_state(optimizer: torch.optim.Optimizer) -> None:
    rates = [group["lr"] for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        group["lr"] = 0.0
        for p in group["params"]:
            p.grad = torch.zeros_like(p)
    optimizer.step()
    optimizer.zero_grad()
    for group, lr in zip(optimizer.param_groups, rates):
        group["lr"] = lr


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(20, 8), nn.Flatten(), nn.Linear(32, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    init_optim_state(optimizer)
    checkpoint = optimizer.state_dict()
    optimizer.load_state_dict(checkpoint)

    tokens = torch.randint(0, 20, (16, 4))
    labels = torch.randint(0, 5, (16,))
    for step in range(6):
        loss = nn.functional.cross_entropy(model(tokens), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
