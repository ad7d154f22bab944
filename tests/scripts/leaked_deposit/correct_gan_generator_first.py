import torch
from torch import nn

torch.manual_seed(0)
generator, discriminator = nn.Linear(3, 2), nn.Linear(2, 1)
optimizer_G = torch.optim.Adam(generator.parameters(), lr=2e-4)
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=2e-4)
adversarial_loss = nn.BCEWithLogitsLoss()
valid, fake = torch.ones(10, 1), torch.zeros(10, 1)

for epoch in range(6):
    imgs = torch.randn(10, 2) + 1

    optimizer_G.zero_grad()
    gen_imgs = generator(torch.randn(10, 3))
    g_loss = adversarial_loss(discriminator(gen_imgs), valid)
    g_loss.backward()
    optimizer_G.step()

    optimizer_D.zero_grad()
    real_loss = adversarial_loss(discriminator(imgs), valid)
    fake_loss = adversarial_loss(discriminator(gen_imgs.detach()), fake)
    d_loss = (real_loss + fake_loss) / 2
    d_loss.backward()
    optimizer_D.step()

print(f"[D loss: {d_loss.item():.2f}] [G loss: {g_loss.item():.2f}]")
