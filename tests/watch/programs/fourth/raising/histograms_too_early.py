"""Gradient and weight histograms to TensorBoard, from hooks, with a gradient clamp in a tensor hook."""

import tempfile

import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter


def main():
    torch.manual_seed(60)
    model = nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Linear(10, 1))
    for p in model.parameters():
        p.register_hook(lambda g: g.clamp(-0.5, 0.5))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
        for step in range(12):
            x = torch.randn(16, 4)
            loss = nn.functional.smooth_l1_loss(model(x), x.norm(dim=1, keepdim=True))
            optimizer.zero_grad()
            for name, p in model.named_parameters():
                writer.add_scalar(  # ZG105 watch
                    f"ratio/{name}",
                    (p.grad.norm() / p.norm()).item(),
                    step,
                )
            loss.backward()
            optimizer.step()
            writer.add_scalar("loss", loss, step)
    print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())


main()
