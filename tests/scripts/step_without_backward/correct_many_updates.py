import torch
from torch import nn


class Learner:
    def __init__(self):
        self.q = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-2)
        self.memory = []

    def remember(self, state, action, reward):
        self.memory.append((state, action, reward))

    def loss(self):
        states = torch.stack([m[0] for m in self.memory[-8:]])
        actions = torch.tensor([m[1] for m in self.memory[-8:]])
        rewards = torch.tensor([m[2] for m in self.memory[-8:]])
        chosen = self.q(states).gather(1, actions.unsqueeze(1)).squeeze(1)
        return nn.functional.smooth_l1_loss(chosen, rewards)

    def learn(self):
        if len(self.memory) < 8:
            return None
        loss = self.loss()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


torch.manual_seed(2)
learner = Learner()
for t in range(24):
    state = torch.randn(3)
    action = int(learner.q(state).argmax())
    learner.remember(state, action, float(state[action]))
    value = learner.learn()
print(value)
