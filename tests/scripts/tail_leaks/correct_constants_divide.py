import torch
from torch import nn

torch.manual_seed(0)
MICRO, STEPS, EPOCHS = 4, 3, 3
embedding = nn.Embedding(15, 4)
optimizer = torch.optim.SGD(embedding.parameters(), lr=0.1)

for epoch in range(EPOCHS):
    for i in range(MICRO * STEPS):
        vectors = embedding(torch.randint(0, 15, (6,)))
        loss = (vectors.norm(dim=1) - 1).pow(2).mean()
        (loss / MICRO).backward()
        if i % MICRO == MICRO - 1:
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, round(loss.item(), 3))
