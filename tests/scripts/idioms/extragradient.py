"""Extragradient for a small game: look ahead, take the gradient there, step from the old point."""
import torch

torch.manual_seed(0)
a = torch.randn(4, requires_grad=True)
b = torch.randn(4, requires_grad=True)
M = torch.randn(4, 4)
optimizer = torch.optim.SGD([a, b], lr=0.1)


def game():
    value = a @ M @ b
    return value, -value


for _ in range(10):
    optimizer.zero_grad()
    loss_a, loss_b = game()
    loss_a.backward(inputs=[a])
    game()[1].backward(inputs=[b])
    before = [p.detach().clone() for p in (a, b)]
    with torch.no_grad():
        for p in (a, b):
            p -= 0.1 * p.grad

    optimizer.zero_grad()
    game()[0].backward(inputs=[a])
    game()[1].backward(inputs=[b])
    with torch.no_grad():
        for p, old in zip((a, b), before):
            p.copy_(old)
    optimizer.step()
