"""TD3: the actor is deposited and stepped at every second update of the critics."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class TD3:
    def __init__(self, state_dim=3, action_dim=1, policy_freq=2, tau=0.005):
        self.actor = nn.Sequential(nn.Linear(state_dim, 24), nn.ReLU(), nn.Linear(24, action_dim), nn.Tanh())
        self.critic = nn.ModuleList(nn.Linear(state_dim + action_dim, 1) for _ in range(2))
        self.actor_target, self.critic_target = copy.deepcopy(self.actor), copy.deepcopy(self.critic)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=3e-4)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=3e-4)
        self.policy_freq, self.tau, self.total_it = policy_freq, tau, 0

    def q(self, critics, state, action):
        return [critic(torch.cat([state, action], 1)) for critic in critics]

    def train(self, state, action, next_state, reward):
        self.total_it += 1
        with torch.no_grad():
            next_action = (self.actor_target(next_state) + 0.1 * torch.randn_like(action)).clamp(-1, 1)
            target_Q = reward + 0.99 * torch.min(*self.q(self.critic_target, next_state, next_action))
        current_Q1, current_Q2 = self.q(self.critic, state, action)
        critic_loss = F.mse_loss(current_Q1, target_Q) + F.mse_loss(current_Q2, target_Q)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()

        if self.total_it % self.policy_freq == 0:
            actor_loss = -self.q(self.critic, state, self.actor(state))[0].mean()
            self.actor_optimizer.zero_grad()
            actor_loss.backward()
            self.actor_optimizer.step()
            for net, target in ((self.critic, self.critic_target), (self.actor, self.actor_target)):
                for param, target_param in zip(net.parameters(), target.parameters()):
                    target_param.data.copy_(self.tau * param.data + (1 - self.tau) * target_param.data)


agent = TD3()
for _ in range(12):
    agent.train(torch.randn(16, 3), torch.rand(16, 1) * 2 - 1, torch.randn(16, 3), torch.randn(16, 1))
