import torch

torch.manual_seed(0)
X = torch.randn(30, 2)
Y = X @ torch.tensor([[1.0], [-1.0]]) + 0.3
W = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

for epoch in range(10):
    loss = ((X @ W + b - Y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        W -= 0.1 * W.grad
        W.grad.zero_()
    b -= 0.1 * b.grad  # ZG310 lint
    b.grad.zero_()
print(W, b)
