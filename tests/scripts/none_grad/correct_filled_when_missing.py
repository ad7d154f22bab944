import torch

torch.manual_seed(0)
W = torch.randn(4, 1, requires_grad=True)
X = torch.randn(20, 4)
y = X @ torch.tensor([[1.0], [2.0], [3.0], [4.0]])

for epoch in range(10):
    if W.grad is None:
        W.grad = torch.zeros_like(W)
    W.grad.zero_()
    loss = ((X @ W - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        W -= 0.01 * W.grad
print(round(loss.item(), 2))
