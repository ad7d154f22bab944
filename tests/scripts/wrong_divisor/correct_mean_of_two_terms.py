import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(48, 6)), batch_size=4)
encoder = nn.Linear(6, 3)
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
accumulate = 4


def nt_xent(a, b, temperature=0.5):
    logits = a @ b.T / temperature
    labels = torch.arange(len(a))
    return (nn.functional.cross_entropy(logits, labels) + nn.functional.cross_entropy(logits.T, labels)) / 2


for i, (x,) in enumerate(loader):
    one, two = encoder(x + 0.1 * torch.randn_like(x)), encoder(x + 0.1 * torch.randn_like(x))
    loss = nt_xent(one, two) / accumulate
    loss.backward()
    if (i + 1) % accumulate == 0:
        optimizer.step()
        optimizer.zero_grad()
print(round(loss.item() * accumulate, 2))
