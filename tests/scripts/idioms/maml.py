"""MAML: adapted weights by autograd.grad, one meta backward for each task, one meta step."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
weights = [
    torch.randn(1, 16).requires_grad_(),
    torch.zeros(16).requires_grad_(),
    (torch.randn(16, 1) * 0.1).requires_grad_(),
    torch.zeros(1).requires_grad_(),
]
meta_optimizer = torch.optim.Adam(weights, lr=1e-3)
inner_lr, tasks_per_batch = 0.01, 4


def net(x, w):
    return torch.tanh(x @ w[0] + w[1]) @ w[2] + w[3]


for iteration in range(5):
    meta_optimizer.zero_grad()
    for task in range(tasks_per_batch):
        amplitude, phase = torch.rand(()) * 4 + 1, torch.rand(()) * 3
        support, query = torch.rand(5, 1) * 6 - 3, torch.rand(5, 1) * 6 - 3
        inner_loss = F.mse_loss(net(support, weights), amplitude * torch.sin(support + phase))
        grads = torch.autograd.grad(inner_loss, weights, create_graph=True)
        adapted = [w - inner_lr * g for w, g in zip(weights, grads)]
        outer_loss = F.mse_loss(net(query, adapted), amplitude * torch.sin(query + phase))
        (outer_loss / tasks_per_batch).backward()
    meta_optimizer.step()
