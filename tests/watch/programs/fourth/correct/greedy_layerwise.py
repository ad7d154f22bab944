"""Stacked autoencoders trained one after another, then fine-tuned as a whole."""

import torch
from torch import nn

torch.manual_seed(64)
widths = [12, 8, 5]
data = torch.randn(64, 3) @ torch.randn(3, 12)
encoders = nn.ModuleList()
features = data
for i, o in zip(widths, widths[1:]):
    encoder, decoder = nn.Sequential(nn.Linear(i, o), nn.Tanh()), nn.Linear(o, i)
    optimizer = torch.optim.Rprop([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
    for _ in range(8):
        loss = nn.functional.mse_loss(decoder(encoder(features)), features)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        features = encoder(features)
    encoders.append(encoder)
classifier = nn.Sequential(*encoders, nn.Linear(widths[-1], 2))
labels = (data[:, 0] > 0).long()
finetune = torch.optim.Adam(classifier.parameters(), lr=5e-3)
for epoch in range(5):
    for b in torch.randperm(64).split(16):
        finetune.zero_grad()
        nn.functional.cross_entropy(classifier(data[b]), labels[b]).backward()
        finetune.step()
print("digest", sum(p.double().sum().item() for p in classifier.parameters()).hex())
