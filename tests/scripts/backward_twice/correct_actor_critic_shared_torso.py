import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.torso = nn.Linear(4, 16)
        self.policy, self.value = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, state):
        h = torch.relu(self.torso(state))
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


torch.manual_seed(0)
agent = ActorCritic()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3)
for update in range(6):
    states = torch.randn(12, 4)
    dist, values = agent(states)
    actions = dist.sample()
    returns = (actions == (states[:, 0] > 0)).float()
    advantage = returns - values
    value_loss = advantage.square().mean()
    policy_loss = -(dist.log_prob(actions) * advantage.detach()).mean()
    optimizer.zero_grad()
    value_loss.backward(retain_graph=True)
    policy_loss.backward()
    optimizer.step()
