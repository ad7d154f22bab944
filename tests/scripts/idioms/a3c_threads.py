"""A3C: workers in threads send the gradients of their own copies to a shared model."""
import threading

import torch
import torch.nn.functional as F
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.actor, self.critic = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        h = F.relu(self.body(x))
        return self.actor(h), self.critic(h)


def ensure_shared_grads(model, shared_model):
    for param, shared_param in zip(model.parameters(), shared_model.parameters()):
        shared_param.grad = param.grad.clone()


def worker(rank, shared_model, optimizer, lock, updates=5):
    generator = torch.Generator().manual_seed(rank)
    model = Policy()
    for _ in range(updates):
        with lock:
            model.load_state_dict(shared_model.state_dict())
        states = torch.randn(6, 4, generator=generator)
        logits, values = model(states)
        log_probs = F.log_softmax(logits, dim=1)
        actions = (states[:, 0] > 0).long().unsqueeze(1)
        advantage = 1.0 - values
        policy_loss = -(log_probs.gather(1, actions) * advantage.detach()).mean()
        value_loss = 0.5 * advantage.pow(2).mean()

        model.zero_grad()
        (policy_loss + 0.5 * value_loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 50)
        with lock:
            ensure_shared_grads(model, shared_model)
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    torch.manual_seed(0)
    shared = Policy()
    optim = torch.optim.Adam(shared.parameters(), lr=1e-4)
    lock = threading.Lock()
    threads = [threading.Thread(target=worker, args=(rank, shared, optim, lock)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
