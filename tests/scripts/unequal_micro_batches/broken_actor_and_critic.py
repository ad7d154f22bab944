"""Policy, value and entropy, each a mean over the valid tokens of a micro-batch."""

import torch
from torch import nn

torch.manual_seed(0)
ACCUMULATE = 4


def rollouts(count):
    for number in range(count):
        lengths = torch.randint(1, 4, (3, 1)) if number % 2 else torch.randint(14, 20, (3, 1))
        mask = (torch.arange(20) < lengths).float()
        yield torch.randn(3, 20, 6), torch.randint(0, 4, (3, 20)), torch.randn(3, 20), mask


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.actor, self.critic = nn.Linear(6, 16), nn.Linear(16, 4), nn.Linear(16, 1)

    def forward(self, states):
        hidden = self.body(states).tanh()
        return self.actor(hidden).log_softmax(-1), self.critic(hidden).squeeze(-1)


model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for i, (states, actions, returns, mask) in enumerate(rollouts(16)):
    scores, values = model(states)
    ratio = (chosen := scores.gather(-1, actions[..., None]).squeeze(-1)).sub(chosen.detach()).exp()
    of_policy = -(ratio * (returns - values.detach()) * mask).sum() / mask.sum()
    of_values = ((values - returns).square() * mask).sum() / mask.sum()
    entropy = -((scores.exp() * scores).sum(-1) * mask).sum() / mask.sum()
    loss = (of_policy + 0.5 * of_values - 0.01 * entropy) / ACCUMULATE
    loss.backward()  # ZG208 watch
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
