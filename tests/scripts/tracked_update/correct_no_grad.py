import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 30)
y = 2 * x + 1
a = torch.randn((), requires_grad=True)
b = torch.randn((), requires_grad=True)

for t in range(20):
    loss = (a * x + b - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        a -= 0.1 * a.grad
        b -= 0.1 * b.grad
        a.grad = None
        b.grad = None
print(a.item(), b.item())
