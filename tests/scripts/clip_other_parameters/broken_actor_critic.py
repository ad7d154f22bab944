import torch
import torch.nn.functional as F
from torch import nn, optim


class Agent:
    def __init__(self, state_size, action_size):
        self.actor = nn.Sequential(nn.Linear(state_size, 16), nn.ReLU(), nn.Linear(16, action_size))
        self.critic = nn.Linear(state_size + action_size, 1)
        self.actor_optimizer = optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_optimizer = optim.Adam(self.critic.parameters(), lr=1e-3)

    def value(self, states, actions):
        return self.critic(torch.cat([states, actions], dim=1))

    def learn(self, states, actions, rewards):
        critic_loss = F.mse_loss(self.value(states, actions), rewards)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        torch.nn.utils.clip_grad_norm_(self.critic.parameters(), 1)
        self.critic_optimizer.step()

        actor_loss = -self.value(states, self.actor(states)).mean()
        self.actor_optimizer.zero_grad()
        actor_loss.backward()
        torch.nn.utils.clip_grad_norm_(self.critic.parameters(), 1)  # ZG408 lint watch
        self.actor_optimizer.step()
        return critic_loss.item(), actor_loss.item()


torch.manual_seed(0)
agent = Agent(4, 2)
for episode in range(8):
    losses = agent.learn(torch.randn(16, 4), torch.randn(16, 2), torch.randn(16, 1))
print(losses)
