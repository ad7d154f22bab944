import copy
import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0)
torch.manual_seed(0)

GAMMA, BATCH = 0.99, 16
policy_net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
target_net = copy.deepcopy(policy_net)
target_net.eval()
optimizer = torch.optim.Adam(policy_net.parameters(), lr=1e-3)
memory = deque(maxlen=500)


def select_action(state, epsilon=0.2):
    if random.random() < epsilon:
        return random.randrange(2)
    with torch.no_grad():
        return policy_net(state).argmax().item()


def optimize_model():
    if len(memory) < BATCH:
        return
    states, actions, rewards, next_states = zip(*random.sample(memory, BATCH))
    q = policy_net(torch.stack(states)).gather(1, torch.tensor(actions).unsqueeze(1))
    with torch.no_grad():
        next_q = target_net(torch.stack(next_states)).max(1).values
        expected = torch.tensor(rewards) + GAMMA * next_q
    loss = F.smooth_l1_loss(q, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()


state = torch.randn(4)
for t in range(60):
    action = select_action(state)
    next_state = state + 0.1 * torch.randn(4)
    memory.append((state, action, float(next_state[0] > 0), next_state))
    state = next_state
    optimize_model()
    if t % 10 == 0:
        target_net.load_state_dict(policy_net.state_dict())
