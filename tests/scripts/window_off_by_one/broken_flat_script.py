import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
train_loader = DataLoader(TensorDataset(torch.randn(52, 4), torch.randint(0, 2, (52,))), batch_size=4)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accumulation_steps = 4

optimizer.zero_grad()
for i, (inputs, labels) in enumerate(train_loader):
    loss = nn.functional.cross_entropy(model(inputs), labels)
    loss = loss / accumulation_steps
    loss.backward()
    if i % accumulation_steps == 0:  # ZG205 lint watch
        optimizer.step()
        optimizer.zero_grad()
print(round(loss.item(), 3))
