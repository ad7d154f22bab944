import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)

for update in range(6):
    obs = torch.randn(10, 4)
    optimizer.zero_grad()
    adversarial = torch.logsumexp(policy(obs * 10), dim=1).mean()
    adversarial.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 0.1)
    imitation = nn.functional.cross_entropy(policy(obs), (obs[:, 0] > 0).long())
    imitation.backward()
    optimizer.step()
print(adversarial.item(), imitation.item())
