import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine = nn.Linear(3, 2)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, state):
        return self.affine(state).softmax(dim=-1)


torch.manual_seed(123)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def select_action(state):
    m = Categorical(policy(state))
    action = m.sample()
    policy.saved_log_probs.append(m.log_prob(action))
    return action.item()


def finish_episode():
    ret, returns = 0.0, []
    for r in policy.rewards[::-1]:
        ret = r + 0.99 * ret
        returns.insert(0, ret)
    policy_loss = [-lp * r for lp, r in zip(policy.saved_log_probs, returns)]
    optimizer.zero_grad()
    policy_loss = torch.stack(policy_loss).sum()
    policy_loss.backward()
    optimizer.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]


for episode in range(4):
    state = torch.randn(3)
    for t in range(6):
        action = select_action(state)
        policy.rewards.append(1.0 if action == 0 else 0.0)
        state = torch.randn(3)
    finish_episode()
print("done")
