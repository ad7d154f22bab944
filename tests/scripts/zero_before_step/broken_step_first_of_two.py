import torch
from torch import nn

torch.manual_seed(9)
words = nn.Embedding(50, 8)
tags = nn.Linear(8, 3)
slow = torch.optim.SGD(words.parameters(), lr=1e-2)
fast = torch.optim.Adam(tags.parameters(), lr=1e-2)

for step in range(6):
    batch, wanted = torch.randint(0, 50, (12, 4)), torch.randint(0, 3, (12,))
    slow.zero_grad()  # ZG102 lint watch
    fast.zero_grad()
    slow.step()
    loss = nn.functional.cross_entropy(tags(words(batch).mean(1)), wanted)
    loss.backward()
    fast.step()
print(loss.item())
