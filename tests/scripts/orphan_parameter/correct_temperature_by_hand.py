"""Soft actor-critic's temperature: one bare tensor, updated by hand from its own loss."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 2)
policy_opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
log_alpha = torch.zeros((), requires_grad=True)
target_entropy = 0.5

for step in range(8):
    logits = policy(torch.randn(16, 3))
    entropy = torch.distributions.Categorical(logits=logits).entropy().mean()

    policy_loss = logits[:, 0].mean() - log_alpha.exp().detach() * entropy
    policy_opt.zero_grad()
    policy_loss.backward()
    policy_opt.step()

    alpha_loss = log_alpha * (entropy.detach() - target_entropy)
    alpha_loss.backward()
    with torch.no_grad():
        log_alpha -= 0.05 * log_alpha.grad
    log_alpha.grad = None
print(log_alpha.item())
