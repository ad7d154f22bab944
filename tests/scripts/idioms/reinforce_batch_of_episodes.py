"""REINFORCE with ten episodes in a batch, in the style of the Pong script: deposit each, step at the tenth."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 1), nn.Sigmoid())
optimizer = torch.optim.RMSprop(policy.parameters(), lr=1e-3)
batch_size, running_reward = 10, None

for episode_number in range(1, 31):
    observations = torch.randn(7, 3)
    probability = policy(observations).squeeze(1)
    actions = torch.bernoulli(probability.detach())
    rewards = (actions == (observations[:, 0] > 0).float()).float()
    log_prob = torch.log(torch.where(actions > 0, probability, 1 - probability) + 1e-8)
    episode_loss = -(log_prob * (rewards - rewards.mean())).sum()
    episode_loss.backward()

    if episode_number % batch_size == 0:
        optimizer.step()
        optimizer.zero_grad()
    reward = rewards.sum().item()
    running_reward = reward if running_reward is None else running_reward * 0.99 + reward * 0.01
