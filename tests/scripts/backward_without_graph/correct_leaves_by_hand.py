import torch

torch.manual_seed(0)
warm = torch.zeros(1, requires_grad=True)
for _ in range(3):
    warm.backward()

x = torch.randn(32, 4)
y = x @ torch.tensor([1.0, -2.0, 0.5, 3.0])
weight = torch.randn(4)
weight.requires_grad_(True)
for _ in range(20):
    guess = x @ weight
    loss = (guess - y).square().mean()
    loss.backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
    weight.grad = None

start = torch.rand(4).detach()
start.requires_grad_()
optimizer = torch.optim.SGD([start], lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    start.backward(start.detach())
    optimizer.step()
