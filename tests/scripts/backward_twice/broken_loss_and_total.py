import torch
import torch.nn.functional as F
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(16, 4)
        self.decode = nn.Linear(4, 16)

    def forward(self, x):
        code = torch.relu(self.encode(x))
        return self.decode(code), code


torch.manual_seed(0)
model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for step in range(6):
    x = torch.rand(32, 16)
    reconstruction, code = model(x)
    reconstruction_loss = F.mse_loss(reconstruction, x)
    optimizer.zero_grad()
    reconstruction_loss.backward(retain_graph=True)
    sparsity_loss = 0.01 * code.abs().mean()
    total_loss = reconstruction_loss + sparsity_loss
    total_loss.backward()  # ZG603 lint watch
    optimizer.step()
    print(f"{step}: {total_loss.item():.4f}")
