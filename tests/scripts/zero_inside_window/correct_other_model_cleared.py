import torch
from torch import nn

torch.manual_seed(0)
student = nn.Linear(6, 3)
probe = nn.Linear(3, 2)
optimizer = torch.optim.SGD(student.parameters(), lr=0.05)
probe_optimizer = torch.optim.SGD(probe.parameters(), lr=0.1)
accum = 3

for i in range(12):
    x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
    code = student(x)
    loss = code.pow(2).mean() / accum
    loss.backward()

    probe_optimizer.zero_grad()
    probe_loss = nn.functional.cross_entropy(probe(code.detach()), y)
    probe_loss.backward()
    probe_optimizer.step()

    if (i + 1) % accum == 0:
        optimizer.step()
        optimizer.zero_grad()
print(round(probe_loss.item(), 2))
