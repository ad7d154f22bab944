import torch

torch.manual_seed(0)
x = torch.linspace(0, 1, 20)
y = 3 * x
w = torch.zeros(1, requires_grad=True)
lr = 0.1

for epoch in range(10):
    loss = ((w * x - y) ** 2).mean()
    loss.backward()
    w = w - lr * w.grad  # ZG309 lint watch
    print(epoch, loss.item())
