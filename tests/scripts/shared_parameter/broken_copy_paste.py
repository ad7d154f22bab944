import torch
from torch import nn, optim

torch.manual_seed(0)
encoder = nn.LSTM(4, 8, batch_first=True)
decoder = nn.Linear(8, 4)
enc_optimizer = optim.Adam(encoder.parameters(), lr=1e-3)
dec_optimizer = optim.Adam(encoder.parameters(), lr=1e-3)  # ZG307 lint watch
criterion = nn.MSELoss()

for epoch in range(6):
    x = torch.randn(3, 5, 4)
    enc_optimizer.zero_grad()
    dec_optimizer.zero_grad()
    hidden, _ = encoder(x)
    loss = criterion(decoder(hidden), x)
    loss.backward()
    enc_optimizer.step()
    dec_optimizer.step()
    print(epoch, loss.item())
