import torch

torch.manual_seed(1)
W = torch.randn(4, 3, requires_grad=True)
log_lr = torch.tensor(-2.0, requires_grad=True)
optimizer = torch.optim.SGD([log_lr], lr=0.01)

for outer in range(4):
    x = torch.randn(8, 4)
    y = x[:, :3]
    inner_loss = ((x @ W).tanh() - y).pow(2).mean()
    inner_loss.backward(create_graph=True)
    updated = W - log_lr.exp() * W.grad
    W.grad.zero_()  # ZG604 lint
    outer_loss = ((x @ updated).tanh() - y).pow(2).mean()
    outer_loss.backward()  # ZG604 watch
    optimizer.step()
    optimizer.zero_grad()
    W.grad = None
