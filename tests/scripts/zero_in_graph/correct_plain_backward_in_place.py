import torch

torch.manual_seed(0)
x = torch.randn(50, 2)
y = x @ torch.tensor([[2.0], [-1.0]]) + 0.5
W = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

for epoch in range(20):
    loss = ((x @ W + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        W -= 0.1 * W.grad
        b -= 0.1 * b.grad
    W.grad.zero_()
    b.grad.zero_()
print(f"{loss.item():.3f}")
