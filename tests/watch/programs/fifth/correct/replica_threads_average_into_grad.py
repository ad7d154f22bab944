"""Workers compute gradients of replicas in a thread pool; their mean is assigned to the model's."""

import copy
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

torch.manual_seed(0)
WORKERS = 3
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
replicas = [copy.deepcopy(model) for _ in range(WORKERS)]
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def shard_gradient(replica, inputs, targets):
    loss = nn.functional.mse_loss(replica(inputs), targets)
    return loss.item(), torch.autograd.grad(loss, list(replica.parameters()))


with ThreadPoolExecutor(WORKERS) as pool:
    for step in range(15):
        inputs = torch.randn(WORKERS * 4, 5)
        targets = inputs.mean(1, keepdim=True)
        for replica in replicas:
            replica.load_state_dict(model.state_dict())
        answers = list(
            pool.map(shard_gradient, replicas, inputs.chunk(WORKERS), targets.chunk(WORKERS))
        )
        for index, parameter in enumerate(model.parameters()):
            parameter.grad = torch.stack([grads[index] for _, grads in answers]).mean(0)
        optimizer.step()
    print(sum(loss for loss, _ in answers) / WORKERS)
