import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(12, 6), nn.ReLU(), nn.Linear(6, 3))
decoder = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 12))
encoder_optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)  # ZG303 lint watch
decoder_optimizer = torch.optim.Adam(decoder.parameters(), lr=1e-3)

for iteration in range(10):
    x = torch.rand(16, 12)
    encoder_optimizer.zero_grad()
    decoder_optimizer.zero_grad()
    loss = nn.functional.mse_loss(decoder(encoder(x)), x)
    loss.backward()
    decoder_optimizer.step()
    if iteration % 5 == 0:
        print(iteration, loss.item())
