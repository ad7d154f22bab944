import torch
from torch import nn


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 8)
        self.dec = nn.Linear(8, 4)

    def forward(self, x, y):
        return nn.functional.mse_loss(self.dec(torch.tanh(self.enc(x))), y)
