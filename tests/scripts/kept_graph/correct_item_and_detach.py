import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 3))
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.01)

running_loss, on_device, as_float = 0.0, torch.zeros(()), 0.0
for i in range(24):
    inputs, labels = torch.randn(4, 10), torch.randint(0, 3, (4,))
    optimizer.zero_grad()
    loss = criterion(net(inputs), labels)
    loss.backward()
    optimizer.step()
    running_loss += loss.item()
    on_device += loss.detach()
    as_float += float(loss)
print(f"{running_loss / 24:.3f} {on_device / 24:.3f} {as_float / 24:.3f}")
