import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
head, domain = nn.Linear(8, 3), nn.Linear(8, 2)
opt = torch.optim.SGD([*features.parameters(), *head.parameters()], lr=0.1)
opt_domain = torch.optim.SGD(domain.parameters(), lr=0.1)
cross_entropy = nn.CrossEntropyLoss()

for step in range(7):
    x, y, origin = torch.randn(12, 6), torch.randint(3, (12,)), torch.randint(2, (12,))

    opt_domain.zero_grad()
    cross_entropy(domain(features(x).detach()), origin).backward()
    nn.utils.clip_grad_value_(domain.parameters(), 0.5)
    opt_domain.step()

    opt.zero_grad()
    loss = cross_entropy(head(features(x)), y) - 0.1 * cross_entropy(domain(features(x)), origin)
    loss.backward()
    nn.utils.clip_grad_value_(domain.parameters(), 0.5)  # ZG408 lint watch
    opt.step()
print(loss.item())
