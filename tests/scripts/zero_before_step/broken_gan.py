import torch
from torch import nn

torch.manual_seed(0)
gen = nn.Linear(3, 2)
disc = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 1))
opt_gen = torch.optim.Adam(gen.parameters(), lr=1e-3)
opt_disc = torch.optim.Adam(disc.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()

for batch_idx in range(5):
    real = torch.randn(8, 2)
    fake = gen(torch.randn(8, 3))

    loss_real = criterion(disc(real), torch.ones(8, 1))
    loss_fake = criterion(disc(fake.detach()), torch.zeros(8, 1))
    loss_disc = (loss_real + loss_fake) / 2
    disc.zero_grad()
    loss_disc.backward()
    opt_disc.step()

    loss_gen = criterion(disc(fake), torch.ones(8, 1))
    loss_gen.backward()
    gen.zero_grad()  # ZG102 lint watch
    opt_gen.step()
print(f"{loss_disc.item():.2f} {loss_gen.item():.2f}")
