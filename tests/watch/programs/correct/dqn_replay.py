import random
from collections import deque
import torch
from torch import nn
torch.manual_seed(27); random.seed(0)
policy, target = nn.Linear(4, 2), nn.Linear(4, 2)
target.load_state_dict(policy.state_dict())
opt = torch.optim.AdamW(policy.parameters(), lr=1e-3, amsgrad=True)
memory = deque(maxlen=100)
def optimize_model():
    if len(memory) < 8:
        return
    s, a, r, s2 = map(torch.stack, zip(*random.sample(memory, 8)))
    value = policy(s).gather(1, a)
    with torch.no_grad():
        expected = r + 0.9 * target(s2).max(1, keepdim=True).values
    loss = nn.functional.smooth_l1_loss(value, expected)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    opt.step()
for t in range(30):
    memory.append((torch.randn(4), torch.randint(0, 2, (1,)), torch.randn(1), torch.randn(4)))
    optimize_model()
    if t % 10 == 0:
        target.load_state_dict(policy.state_dict())
