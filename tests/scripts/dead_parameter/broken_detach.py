import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(10, 6), nn.ReLU())
classifier = nn.Linear(6, 3)
params = list(encoder.parameters()) + list(classifier.parameters())
optimizer = torch.optim.Adam(params, lr=1e-2)  # ZG305 lint watch

for epoch in range(5):
    x, y = torch.randn(20, 10), torch.randint(0, 3, (20,))
    z = encoder(x).detach()
    loss = nn.functional.cross_entropy(classifier(z), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, f"{loss.item():.4f}")
