import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
micro_batch, micro_batches = 4, 4
effective_batch = micro_batch * micro_batches
loader = DataLoader(TensorDataset(torch.randn(64, 5), torch.randint(0, 3, (64,))), batch_size=micro_batch)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for i, (x, y) in enumerate(loader):
    loss = nn.functional.cross_entropy(model(x), y, reduction="sum") / effective_batch
    loss.backward()
    if (i + 1) % micro_batches == 0:
        optimizer.step()
        optimizer.zero_grad()
print("exact")
