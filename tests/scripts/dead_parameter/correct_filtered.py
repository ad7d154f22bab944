import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 2))
for param in model[0].parameters():
    param.requires_grad = False
optimizer = optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.01)

for epoch in range(3):
    inputs, labels = torch.rand(8, 3, 8, 8), torch.randint(0, 2, (8,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
print(loss.item())
