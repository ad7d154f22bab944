import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(30, 4)
y = x @ torch.randn(4, 1)


def make_model():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


model = make_model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  # ZG306 lint watch
scores = []
for fold in range(3):
    model = make_model()
    held_out = torch.arange(30) % 3 == fold
    for epoch in range(5):
        model.zero_grad()
        loss = nn.functional.mse_loss(model(x[~held_out]), y[~held_out])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        scores.append(nn.functional.mse_loss(model(x[held_out]), y[held_out]).item())
print("cross-validation:", [round(s, 3) for s in scores])
