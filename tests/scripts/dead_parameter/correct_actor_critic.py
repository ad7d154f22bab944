import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Linear(4, 2)
        self.critic = nn.Linear(4, 1)

    def forward(self, obs):
        return torch.distributions.Categorical(logits=self.actor(obs)), self.critic(obs).squeeze(-1)


torch.manual_seed(0)
agent = ActorCritic()
optimizer = torch.optim.RMSprop(agent.parameters(), lr=7e-4)
for update in range(5):
    dist, value = agent(torch.randn(16, 4))
    action = dist.sample()
    returns = torch.rand(16) + action
    advantage = returns - value.detach()
    policy_loss = -(dist.log_prob(action) * advantage).mean()
    value_loss = nn.functional.mse_loss(value, returns)
    loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    optimizer.step()
print(loss.item())
