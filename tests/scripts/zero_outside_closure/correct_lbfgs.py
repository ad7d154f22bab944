import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(30, 4)
y = x @ torch.randn(4, 1)
model = nn.Linear(4, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5)

for epoch in range(3):

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    print(epoch, f"{loss.item():.3f}")
