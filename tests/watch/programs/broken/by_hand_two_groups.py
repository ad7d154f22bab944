import torch
torch.manual_seed(65)
w = torch.randn(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for i in range(15):
    x = torch.randn(8, 3)
    loss = (x @ w + b - 1).square().mean()
    loss.backward()  # ZG101 watch
    with torch.no_grad():
        w -= 0.01 * w.grad
        if i > 2:
            b -= 0.01 * b.grad
