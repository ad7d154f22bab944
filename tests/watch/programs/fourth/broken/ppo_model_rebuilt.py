"""PPO with a shared trunk, advantages by GAE, and an early end of the epochs by KL."""

import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self, observations=3, actions=2):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(observations, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, actions), nn.Linear(32, 1)

    def forward(self, x):
        h = self.trunk(x)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class Walk:
    def reset(self):
        self.state, self.t = torch.zeros(3), 0
        return self.state

    def step(self, action):
        self.state = self.state * 0.9 + torch.randn(3) * 0.1 + (0.1 if action else -0.1)
        self.t += 1
        return self.state, -self.state.abs().sum().item(), self.t % 16 == 0


def gae(rewards, values, dones, last, gamma=0.99, lam=0.95):
    advantages, running = [], 0.0
    for r, v, d in zip(reversed(rewards), reversed(values), reversed(dones)):
        running = r + gamma * last * (1 - d) - v + gamma * lam * (1 - d) * running
        advantages.append(running)
        last = v
    return torch.tensor(advantages[::-1])


torch.manual_seed(11)
model, environment = ActorCritic(), Walk()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, eps=1e-5)  # ZG306 watch
model = ActorCritic()
observation = environment.reset()
for update in range(5):
    store = {k: [] for k in "o a lp v r d".split()}
    with torch.no_grad():
        for _ in range(64):
            distribution, value = model(observation)
            action = distribution.sample()
            store["o"].append(observation)
            store["a"].append(action)
            store["lp"].append(distribution.log_prob(action))
            store["v"].append(value.item())
            observation, reward, done = environment.step(action.item())
            store["r"].append(reward)
            store["d"].append(float(done))
        last = model(observation)[1].item()
    advantages = gae(store["r"], store["v"], store["d"], last)
    returns = advantages + torch.tensor(store["v"])
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    obs, act, old = (torch.stack(store[k]) for k in ("o", "a", "lp"))
    stop = False
    for epoch in range(4):
        for b in torch.randperm(64).split(16):
            distribution, value = model(obs[b])
            ratio = (distribution.log_prob(act[b]) - old[b]).exp()
            if (ratio - 1 - ratio.log()).mean() > 0.05:
                stop = True
                break
            policy_loss = -torch.min(
                ratio * advantages[b], ratio.clamp(0.8, 1.2) * advantages[b]
            ).mean()
            loss = (
                policy_loss
                + 0.5 * (value - returns[b]).pow(2).mean()
                - 0.01 * distribution.entropy().mean()
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
        if stop:
            break
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
