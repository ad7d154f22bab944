"""Actor-critic with eligibility traces: gradients by autograd.grad, traces by hand, updates by hand."""

import torch
from torch import nn

torch.manual_seed(14)
value, policy = nn.Linear(4, 1), nn.Linear(4, 2)
gamma, lam = 0.95, 0.8


def features(state):
    return torch.eye(4)[state]


for episode in range(12):
    state = 0
    trace_v = [torch.zeros_like(p) for p in value.parameters()]
    trace_p = [torch.zeros_like(p) for p in policy.parameters()]
    for t in range(12):
        x = features(state)
        distribution = torch.distributions.Categorical(logits=policy(x))
        action = distribution.sample()
        following = min(3, state + 1) if action else max(0, state - 1)
        done = following == 3
        reward = 1.0 if done else -0.05
        v = value(x).squeeze()
        with torch.no_grad():
            delta = reward + (0.0 if done else gamma * value(features(following)).squeeze()) - v
        gv = torch.autograd.grad(v, list(value.parameters()))
        gp = torch.autograd.grad(distribution.log_prob(action), list(policy.parameters()))
        with torch.no_grad():
            for traces, grads, net, lr in ((trace_v, gv, value, 0.1), (trace_p, gp, policy, 0.1)):
                for e, g, p in zip(traces, grads, net.parameters()):
                    e.mul_(gamma * lam).add_(g)
                    p.add_(lr * delta * e)
        if done:
            break
        state = following
print("digest", sum(p.double().sum().item() for p in policy.parameters()).hex())
