import torch
from torch import nn

torch.manual_seed(0)
text = nn.Embedding(10, 4)
image = nn.Linear(6, 4)
fusion = nn.Linear(8, 2)
optimizers = [
    torch.optim.SGD(text.parameters(), lr=0.1),
    torch.optim.Adam(image.parameters(), lr=1e-3),
    torch.optim.AdamW(fusion.parameters(), lr=1e-3),
]

for _ in range(5):
    for optimizer in optimizers:
        optimizer.zero_grad()
    joint = torch.cat([text(torch.randint(0, 10, (7,))), image(torch.randn(7, 6))], dim=1)
    loss = nn.functional.cross_entropy(fusion(joint), torch.randint(0, 2, (7,)))
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
print(round(loss.item(), 2))
