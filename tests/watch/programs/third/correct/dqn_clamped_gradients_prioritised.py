import random

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(7)
random.seed(7)
policy_net, target_net = nn.Linear(4, 2), nn.Linear(4, 2)
target_net.load_state_dict(policy_net.state_dict())
target_net.eval()
optimizer = torch.optim.RMSprop(policy_net.parameters())
memory = []
BATCH = 16


def optimize_model():
    if len(memory) < BATCH:
        return
    batch = random.sample(memory, BATCH)
    state = torch.stack([b[0] for b in batch])
    action = torch.tensor([[b[1]] for b in batch])
    reward = torch.tensor([b[2] for b in batch])
    nxt = torch.stack([b[3] for b in batch])
    values = policy_net(state).gather(1, action).squeeze(1)
    expected = reward + 0.9 * target_net(nxt).max(1)[0].detach()
    weights = torch.rand(BATCH)
    loss = (weights * F.smooth_l1_loss(values, expected, reduction="none")).mean()
    optimizer.zero_grad()
    loss.backward()
    for param in policy_net.parameters():
        param.grad.data.clamp_(-1, 1)
    optimizer.step()


for episode in range(5):
    state = torch.randn(4)
    for t in range(10):
        with torch.no_grad():
            action = random.randrange(2) if random.random() < 0.3 else policy_net(state).argmax().item()
        nxt = torch.randn(4)
        memory.append((state, action, random.random(), nxt))
        state = nxt
        optimize_model()
    if episode % 2 == 0:
        target_net.load_state_dict(policy_net.state_dict())
