import torch
from torch import nn


@torch.no_grad()
def embed(encoder, x):
    return encoder(x)


def probe(encoder: nn.Module, x: torch.Tensor, y: torch.Tensor) -> nn.Linear:
    linear = nn.Linear(16, 2)
    optimizer = torch.optim.LBFGS(linear.parameters(), max_iter=5)
    features = embed(encoder, x)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(linear(features), y)
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    return linear


torch.manual_seed(0)
x = torch.randn(40, 5)
linear = probe(nn.Sequential(nn.Linear(5, 16), nn.ReLU()), x, (x[:, 0] > 0).long())
print(linear.weight.norm().item())
