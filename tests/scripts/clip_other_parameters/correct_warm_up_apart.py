import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(4, 6), nn.Linear(6, 2)
opt_body = torch.optim.SGD(body.parameters(), lr=0.1)
opt_head = torch.optim.SGD(head.parameters(), lr=0.1)


def loss_of_a_batch():
    x, y = torch.randn(8, 4), torch.randint(2, (8,))
    return nn.functional.cross_entropy(head(body(x).relu()), y)


def clear():
    opt_body.zero_grad()
    opt_head.zero_grad()


for _ in range(4):
    clear()
    loss = loss_of_a_batch()
    loss.backward()
    nn.utils.clip_grad_norm_(body.parameters(), 0.1)
    opt_head.step()

for _ in range(6):
    clear()
    loss = loss_of_a_batch()
    loss.backward()
    nn.utils.clip_grad_norm_(body.parameters(), 0.1)
    opt_head.step()
    opt_body.step()
print(loss.item())
