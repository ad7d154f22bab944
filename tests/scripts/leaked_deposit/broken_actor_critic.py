import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
obs_dim, act_dim, gamma = 4, 2, 0.99


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(obs_dim + act_dim, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, obs, act):
        return self.q(torch.cat([obs, act], dim=-1))


actor = nn.Sequential(nn.Linear(obs_dim, 16), nn.ReLU(), nn.Linear(16, act_dim), nn.Tanh())
critic = Critic()
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)


def sample_batch(n=16):
    return (
        torch.randn(n, obs_dim),
        torch.rand(n, act_dim) * 2 - 1,
        torch.randn(n, 1),
        torch.randn(n, obs_dim),
    )


for step in range(8):
    obs, act, reward, next_obs = sample_batch()

    with torch.no_grad():
        target = reward + gamma * critic(next_obs, actor(next_obs))
    critic_loss = F.mse_loss(critic(obs, act), target)
    critic_loss.backward()
    critic_optimizer.step()  # ZG104 lint watch
    critic_optimizer.zero_grad()

    actor_optimizer.zero_grad()
    actor_loss = -critic(obs, actor(obs)).mean()
    actor_loss.backward()
    actor_optimizer.step()

print(f"{critic_loss.item():.3f}")
