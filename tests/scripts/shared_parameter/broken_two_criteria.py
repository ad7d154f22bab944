import torch
from torch import nn


class Center(nn.Module):
    def __init__(self, classes, features):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(classes, features))

    def forward(self, features, labels):
        return (features - self.centers[labels]).square().sum(1).mean()


torch.manual_seed(0)
model = nn.Linear(6, 10)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
center_criterion = Center(10, 10)
center_optimizer = torch.optim.Adam(model.parameters(), lr=1e-1)  # ZG307 lint watch
criterion = nn.CrossEntropyLoss()
inputs, labels = torch.randn(16, 6), torch.randint(10, (16,))

for epoch in range(6):
    optimizer.zero_grad()
    center_optimizer.zero_grad()
    features = model(inputs)
    loss = criterion(features, labels) + 0.1 * center_criterion(features, labels)
    loss.backward()
    optimizer.step()
    center_optimizer.step()
print(loss.item())
