import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder, probe = nn.Linear(8, 4), nn.Linear(4, 8), nn.Linear(4, 2)
opt_ae = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.05)
opt_probe = torch.optim.SGD(probe.parameters(), lr=0.05)

for _ in range(16):
    x = torch.randn(16, 8)
    labels = (x[:, 0] > 0).long()

    opt_probe.zero_grad()
    nn.functional.cross_entropy(probe(torch.relu(encoder(x))), labels).backward()  # ZG703 watch
    opt_probe.step()

    opt_ae.zero_grad()
    nn.functional.mse_loss(decoder(torch.relu(encoder(x))), x).backward()
    opt_ae.step()
