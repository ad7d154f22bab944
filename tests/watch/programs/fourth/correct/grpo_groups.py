"""Group-relative policy optimisation: sampled groups, normalised rewards, several inner updates a rollout."""

import copy
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Rollout:
    prompts: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    advantages: torch.Tensor


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 6))

    def distribution(self, prompts):
        return torch.distributions.Categorical(logits=self.net(prompts))


@torch.no_grad()
def collect(policy, prompts, group=8):
    repeated = prompts.repeat_interleave(group, 0)
    distribution = policy.distribution(repeated)
    actions = distribution.sample()
    reward = (actions == repeated.argmax(1)).float().view(-1, group)
    advantage = (reward - reward.mean(1, keepdim=True)) / (reward.std(1, keepdim=True) + 1e-4)
    return Rollout(repeated, actions, distribution.log_prob(actions), advantage.flatten())


torch.manual_seed(10)
policy = Policy()
reference = copy.deepcopy(policy).eval().requires_grad_(False)
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
for iteration in range(6):
    rollout = collect(policy, torch.randn(4, 4))
    for _ in range(2):
        for index in torch.randperm(len(rollout.actions)).split(16):
            distribution = policy.distribution(rollout.prompts[index])
            log_prob = distribution.log_prob(rollout.actions[index])
            ratio = (log_prob - rollout.log_probs[index]).exp()
            advantage = rollout.advantages[index]
            surrogate = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
            with torch.no_grad():
                base = reference.distribution(rollout.prompts[index]).log_prob(
                    rollout.actions[index]
                )
            kl = (base - log_prob).exp() - (base - log_prob) - 1
            loss = -(surrogate - 0.04 * kl).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
print("digest", sum(p.double().sum().item() for p in policy.parameters()).hex())
