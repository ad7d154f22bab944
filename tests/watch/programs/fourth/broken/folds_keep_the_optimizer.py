"""Cross validation: a fresh model and optimizer for each fold, the best is retrained on everything."""

import torch
from sklearn.model_selection import KFold
from torch import nn


def build(lr):
    model = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
    return model, torch.optim.AdamW(model.parameters(), lr=lr)  # ZG303 watch


def fit(model, optimizer, x, y, epochs):
    model.train()
    for _ in range(epochs):
        for b in torch.randperm(len(x)).split(16):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x[b]), y[b]).backward()
            optimizer.step()
    return model


torch.manual_seed(57)
x = torch.randn(80, 4)
y = x @ torch.randn(4, 1)
scores = {}
for lr in (1e-3, 1e-2):
    folds = []
    model, optimizer = build(lr)
    for train, test in KFold(4, shuffle=True, random_state=0).split(x.numpy()):
        model, _ = build(lr)
        fit(model, optimizer, x[train], y[train], 3)
        with torch.no_grad():
            folds.append(nn.functional.mse_loss(model.eval()(x[test]), y[test]).item())
    scores[lr] = sum(folds) / len(folds)
model, optimizer = build(min(scores, key=scores.get))
fit(model, optimizer, x, y, 5)
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
