"""The discriminator lives inside a loss module whose `eval` also freezes it."""
import torch
from torch import nn


class Adversary(nn.Module):
    def __init__(self, discriminator):
        super().__init__()
        self.discriminator = discriminator

    def forward(self, features, target):
        return nn.functional.softplus(-target * self.discriminator(features)).mean()

    def train(self, mode=True):
        self.discriminator.train(mode)
        for param in self.discriminator.parameters():
            param.requires_grad = mode
        return self

    def eval(self):
        return self.train(False)


torch.manual_seed(0)
model = nn.Linear(6, 4)
discriminator = nn.Linear(4, 1)
adversary = Adversary(discriminator)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
for x_s, x_t in torch.randn(5, 2, 8, 6):
    optimizer.zero_grad()
    optimizer_d.zero_grad()
    adversary.eval()
    pred_s, pred_t = model(x_s), model(x_t)
    loss_transfer = pred_s.square().mean() + adversary(pred_t, 1.0)
    loss_transfer.backward()
    adversary.train()
    loss_d = 0.5 * (adversary(pred_s.detach(), 1.0) + adversary(pred_t.detach(), -1.0))
    loss_d.backward()
    optimizer.step()
    optimizer_d.step()
