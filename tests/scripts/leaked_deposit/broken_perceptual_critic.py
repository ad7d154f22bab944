import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))

    def forward(self, x):
        return x + self.net(x)


torch.manual_seed(0)
denoiser = Denoiser()
critic = nn.Sequential(nn.Conv2d(1, 4, 3), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1))
denoiser_optim = torch.optim.Adam(denoiser.parameters(), lr=1e-3)
critic_optim = torch.optim.Adam(critic.parameters(), lr=1e-3)
bce = nn.functional.binary_cross_entropy_with_logits
loader = DataLoader(TensorDataset(torch.rand(24, 1, 6, 6)), batch_size=4)

for (clean,) in loader:
    noisy = clean + 0.2 * torch.randn_like(clean)
    ones, zeros = torch.ones(len(clean), 1), torch.zeros(len(clean), 1)

    denoiser_optim.zero_grad()
    critic_optim.zero_grad()

    restored = denoiser(noisy)
    loss = nn.functional.l1_loss(restored, clean) + 0.01 * bce(critic(restored), ones)
    loss.backward()
    denoiser_optim.step()

    critic_loss = bce(critic(clean), ones) + bce(critic(restored.detach()), zeros)
    critic_loss.backward()
    critic_optim.step()  # ZG104 lint watch

print(round(loss.item(), 2), round(critic_loss.item(), 2))
