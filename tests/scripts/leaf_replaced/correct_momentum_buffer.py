import torch

torch.manual_seed(0)
A = torch.randn(10, 4)
target = torch.randn(10)
W = torch.zeros(4, requires_grad=True)
velocity = torch.zeros(4)
average = torch.zeros(4)

for i in range(12):
    loss = (A @ W - target).square().mean()
    loss.backward()
    velocity = 0.9 * velocity + W.grad
    W.data = W.data - 0.02 * velocity
    W.grad.zero_()
    average = average + (W.detach() - average) / (i + 1)
print(loss.item(), average.norm().item())
