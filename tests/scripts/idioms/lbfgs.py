"""LBFGS: the closure clears, deposits and returns the loss; it is evaluated many times in one step."""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-2, 2, 40).unsqueeze(1)
y = torch.sin(2 * x)
model = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1)).double()
x, y = x.double(), y.double()
criterion = nn.MSELoss()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.8, max_iter=6)

for i in range(4):

    def closure():
        optimizer.zero_grad()
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        return loss

    optimizer.step(closure)
with torch.no_grad():
    print(f"{criterion(model(x), y).item():.3f}")
