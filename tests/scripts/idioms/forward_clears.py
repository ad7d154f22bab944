"""The forward of the model clears its gradients, so that the loop does not."""
import torch
from torch import nn


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 8)
        self.dec = nn.Linear(8, 4)

    def forward(self, x, y):
        self.zero_grad()
        return nn.functional.mse_loss(self.dec(torch.tanh(self.enc(x))), y)


torch.manual_seed(0)
model = Translator()
enc_optim = torch.optim.Adam(model.enc.parameters(), lr=1e-2)
dec_optim = torch.optim.Adam(model.dec.parameters(), lr=1e-2)
for _ in range(6):
    x = torch.randn(16, 4)
    loss = model(x, x.flip(1))
    loss.backward()
    enc_optim.step()
    dec_optim.step()
print(loss.item())
