import torch
import torch.nn.functional as F
from torch import nn


def micro_batches(x, y, size):
    return zip(x.split(size), y.split(size))


def train(model, optimizer, batches, micro_size=4):
    for x, y in batches:
        num_micro = len(x) // micro_size
        for mx, my in micro_batches(x, y, micro_size):
            model.zero_grad(set_to_none=True)  # ZG103 lint watch
            loss = F.mse_loss(model(mx), my) / num_micro
            loss.backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(3)
    net = nn.Sequential(nn.Linear(6, 6), nn.SiLU(), nn.Linear(6, 1))
    data = [(torch.randn(16, 6), torch.randn(16, 1)) for _ in range(5)]
    train(net, torch.optim.SGD(net.parameters(), lr=0.02), data)
    print("trained")
