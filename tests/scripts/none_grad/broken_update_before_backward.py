import torch

torch.manual_seed(3)
theta = torch.zeros(3, requires_grad=True)
data = torch.randn(50, 3)


def nll(t):
    return 0.5 * ((data - t) ** 2).sum(dim=1).mean()


for i in range(5):
    with torch.no_grad():
        theta -= 0.5 * theta.grad  # ZG105 lint watch
    theta.grad = None
    nll(theta).backward()
print(theta)
