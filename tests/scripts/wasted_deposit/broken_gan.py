import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
discriminator = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
adversarial_loss = nn.BCEWithLogitsLoss()
optimizer_G = optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizer_D = optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
valid, fake = torch.ones(8, 1), torch.zeros(8, 1)

for i in range(16):
    real_imgs = torch.randn(8, 6) + 1
    optimizer_G.zero_grad()
    gen_imgs = generator(torch.randn(8, 4))
    g_loss = adversarial_loss(discriminator(gen_imgs), valid)
    g_loss.backward()  # ZG703 watch
    optimizer_G.step()

    optimizer_D.zero_grad()
    real_loss = adversarial_loss(discriminator(real_imgs), valid)
    fake_loss = adversarial_loss(discriminator(gen_imgs.detach()), fake)
    d_loss = (real_loss + fake_loss) / 2
    d_loss.backward()
    optimizer_D.step()
