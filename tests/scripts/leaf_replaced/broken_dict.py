import torch

torch.manual_seed(0)
params = {
    "hidden": torch.randn(3, 8).mul(0.1).requires_grad_(),
    "out": torch.randn(8, 1).mul(0.1).requires_grad_(),
}


def forward(x):
    return torch.tanh(x @ params["hidden"]) @ params["out"]


x, y = torch.randn(16, 3), torch.randn(16, 1)
for step in range(10):
    loss = (forward(x) - y).square().mean()
    loss.backward()
    with torch.no_grad():
        for name in params:
            params[name] = params[name] - 0.1 * params[name].grad  # ZG309 lint watch
print(loss.item())
