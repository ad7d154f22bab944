import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 30)
y = 2 * x + 1
a = torch.randn((), requires_grad=True)
learning_rate = 1e-2

for t in range(20):
    loss = (a * x - y).pow(2).sum()
    loss.backward()
    a -= learning_rate * a.grad  # ZG310 lint
    a.grad = None
print(a.item())
