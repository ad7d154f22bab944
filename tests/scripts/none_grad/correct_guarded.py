import torch

torch.manual_seed(0)
W = torch.randn(4, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
X = torch.randn(20, 4)
y = X @ torch.tensor([[1.0], [2.0], [3.0], [4.0]])

for epoch in range(10):
    if W.grad is not None:
        W.grad.zero_()
    if b.grad is not None:
        b.grad.zero_()
    loss = ((X @ W + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        W -= 0.01 * W.grad
        b -= 0.01 * b.grad
print(round(loss.item(), 2))
