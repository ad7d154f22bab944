import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Softplus(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

for _ in range(5):
    x = torch.randn(12, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad(set_to_none=False)
    grads = torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
    (loss + 0.01 * sum(g.square().sum() for g in grads)).backward()
    optimizer.step()
    for p in model.parameters():
        p.grad.detach_()
        p.grad.zero_()
