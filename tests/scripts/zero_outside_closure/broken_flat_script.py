import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-3, 3, 40).unsqueeze(1)
y = torch.sin(x)
model = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)
mse = nn.MSELoss()


def closure():
    loss = mse(model(x), y)
    loss.backward()  # ZG106 lint watch
    return loss


for i in range(3):
    optimizer.zero_grad()
    optimizer.step(closure)
    print("step", i)
