import torch

torch.manual_seed(0)
x = torch.randn(20, 3)
y = x.sum(1)
w = torch.zeros(3, requires_grad=True)

for epoch in range(10):
    loss = (x @ w - y).abs().mean()
    loss.backward()
    w = (w - 0.1 * w.grad).detach().requires_grad_(True)
print(w)
