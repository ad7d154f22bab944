import torch
from torch import nn

torch.manual_seed(0)
shared = nn.Linear(4, 2)
optimizer = torch.optim.RMSprop(shared.parameters(), lr=1e-3)


def ensure_shared_grads(model, shared_model):
    for param, shared_param in zip(model.parameters(), shared_model.parameters()):
        shared_param._grad = param.grad


def worker(steps):
    local = nn.Linear(4, 2)
    for _ in range(steps):
        local.load_state_dict(shared.state_dict())
        logits = local(torch.randn(5, 4))
        loss = -logits.log_softmax(-1)[:, 0].mean()
        local.zero_grad()
        loss.backward()
        optimizer.zero_grad()
        ensure_shared_grads(local, shared)
        optimizer.step()


for _ in range(2):
    worker(3)
print("updated")
