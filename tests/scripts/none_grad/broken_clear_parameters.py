import torch
import torch.nn as nn


class LinearRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(1, 1)

    def forward(self, x):
        return self.linear(x)


torch.manual_seed(0)
model = LinearRegression()
x = torch.arange(10.0).unsqueeze(1) / 10
y = 2 * x + 1

for epoch in range(5):
    for param in model.parameters():
        param.grad.data.zero_()  # ZG105 lint watch
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    for param in model.parameters():
        param.data -= 0.1 * param.grad.data
    print(epoch, loss.item())
