import torch

torch.manual_seed(0)
x = torch.rand(32, 1)
y = 1 + 2 * x + 0.1 * torch.randn(32, 1)

a = torch.randn(1, requires_grad=True)
b = torch.randn(1, requires_grad=True)
lr = 1e-1

for epoch in range(25):
    yhat = a + b * x
    loss = ((yhat - y) ** 2).mean()
    loss.backward()

    with torch.no_grad():
        for p in (a, b):
            p -= lr * p.grad

    a.grad.zero_()
    b.grad.zero_()

print(round(a.item(), 2), round(b.item(), 2))
