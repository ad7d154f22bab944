import torch

torch.manual_seed(0)
X = torch.randn(40, 2)
Y = X @ torch.tensor([[1.0], [2.0]]) + 4
W = torch.randn(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

for step in range(15):
    loss = (X @ W + b - Y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        if W.grad is not None:
            W = W - 0.1 * W.grad  # ZG309 lint
        b -= 0.1 * b.grad
        b.grad.zero_()
print(loss.item())
