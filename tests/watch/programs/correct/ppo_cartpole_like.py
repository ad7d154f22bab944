import torch
from torch import nn
from torch.distributions import Categorical
torch.manual_seed(3)
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.actor, self.critic = nn.Linear(16, 2), nn.Linear(16, 1)
    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)
agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4, eps=1e-5)
for update in range(4):
    optimizer.param_groups[0]["lr"] = 3e-4 * (1 - update / 4)
    obs = torch.randn(32, 4)
    with torch.no_grad():
        dist, values = agent(obs)
        actions = dist.sample()
        old = dist.log_prob(actions)
    returns = torch.randn(32)
    adv = returns - values
    for epoch in range(3):
        for mb in torch.randperm(32).split(8):
            dist, v = agent(obs[mb])
            ratio = (dist.log_prob(actions[mb]) - old[mb]).exp()
            a = (adv[mb] - adv[mb].mean()) / (adv[mb].std() + 1e-8)
            pg = torch.max(-a * ratio, -a * ratio.clamp(0.8, 1.2)).mean()
            loss = pg - 0.01 * dist.entropy().mean() + 0.5 * ((v - returns[mb]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
