"""DQN: steps begin once the replay memory is full; the target network is copied now and then."""
import random
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
random.seed(0)
torch.manual_seed(0)
BATCH_SIZE, GAMMA, TARGET_UPDATE = 8, 0.9, 5

policy_net, target_net = (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)) for _ in range(2))
target_net.load_state_dict(policy_net.state_dict())
target_net.eval()
optimizer = torch.optim.RMSprop(policy_net.parameters())
memory = []


def optimize_model():
    if len(memory) < BATCH_SIZE:
        return
    batch = Transition(*zip(*random.sample(memory, BATCH_SIZE)))
    state_action_values = policy_net(torch.stack(batch.state)).gather(1, torch.tensor(batch.action).unsqueeze(1))
    next_state_values = target_net(torch.stack(batch.next_state)).max(1)[0].detach()
    expected = next_state_values * GAMMA + torch.tensor(batch.reward)
    loss = F.smooth_l1_loss(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    for param in policy_net.parameters():
        param.grad.data.clamp_(-1, 1)
    optimizer.step()


for i_episode in range(6):
    state = torch.randn(4)
    for t in range(5):
        with torch.no_grad():
            action = policy_net(state).argmax().item() if random.random() > 0.3 else random.randrange(2)
        next_state = state + torch.randn(4) * 0.1
        memory.append(Transition(state, action, next_state, float(next_state.sum() > 0)))
        state = next_state
        optimize_model()
    if i_episode % TARGET_UPDATE == 0:
        target_net.load_state_dict(policy_net.state_dict())
