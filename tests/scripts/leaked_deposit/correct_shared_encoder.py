import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
digits, parity = nn.Linear(8, 10), nn.Linear(8, 2)
encoder_optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
digits_optimizer = torch.optim.Adam(digits.parameters(), lr=1e-3)
parity_optimizer = torch.optim.Adam(parity.parameters(), lr=1e-3)

for _ in range(6):
    x, label = torch.randn(12, 8), torch.randint(0, 10, (12,))
    for optimizer in (encoder_optimizer, digits_optimizer, parity_optimizer):
        optimizer.zero_grad()

    digits_loss = nn.functional.cross_entropy(digits(encoder(x)), label)
    digits_loss.backward()
    digits_optimizer.step()

    parity_loss = nn.functional.cross_entropy(parity(encoder(x)), label % 2)
    parity_loss.backward()
    parity_optimizer.step()

    encoder_optimizer.step()
print(round(digits_loss.item(), 1), round(parity_loss.item(), 1))
