import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(4, 6), nn.Linear(6, 2)
opt_body = torch.optim.SGD(body.parameters(), lr=0.1)
opt_head = torch.optim.SGD(head.parameters(), lr=0.1)
cross_entropy = nn.functional.cross_entropy

for epoch in range(2):
    for _ in range(3):
        x, y = torch.randn(8, 4), torch.randint(2, (8,))
        opt_body.zero_grad()
        opt_head.zero_grad()
        loss = cross_entropy(head(body(x).relu()), y)
        loss.backward()
        nn.utils.clip_grad_norm_(body.parameters(), 0.1)
        if epoch > 0:
            opt_body.step()
        opt_head.step()

for _ in range(4):
    x, y = torch.randn(8, 4), torch.randint(2, (8,))
    opt_body.zero_grad()
    opt_head.zero_grad()
    loss = cross_entropy(head(body(x).relu()), y)
    loss.backward()
    nn.utils.clip_grad_norm_(body.parameters(), 0.1)
    opt_head.step()
    opt_body.step()
print(loss.item())
