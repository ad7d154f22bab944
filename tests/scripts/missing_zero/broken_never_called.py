import torch
import torch.nn as nn

torch.manual_seed(0)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 4), nn.ReLU())
        self.decoder = nn.Linear(4, 12)

    def forward(self, x):
        return self.decoder(self.encoder(x))


model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
data = torch.rand(5, 16, 12)

for epoch in range(2):
    for x in data:
        optimizer.zero_grad
        loss = ((model(x) - x) ** 2).mean()
        loss.backward()  # ZG101 lint watch
        optimizer.step()
    print(epoch, round(loss.item(), 4))
