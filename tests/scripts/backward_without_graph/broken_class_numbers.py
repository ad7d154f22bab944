import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(32, 6)
labels = (inputs[:, 0] > 0).long()
classifier = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(classifier.parameters(), lr=0.01)

for epoch in range(6):
    classifier.train()
    optimizer.zero_grad()
    logits = classifier(inputs)
    _, predicted = torch.max(logits, 1)
    loss = F.mse_loss(predicted.float(), labels.float())
    loss.requires_grad = True
    loss.backward()  # ZG601 lint watch
    optimizer.step()
    print(epoch, loss.item())
