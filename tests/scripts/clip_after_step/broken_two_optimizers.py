import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
encoder = nn.GRU(4, 6, batch_first=True)
decoder = nn.Linear(6, 4)
enc_opt = torch.optim.SGD(encoder.parameters(), lr=0.1)
dec_opt = torch.optim.SGD(decoder.parameters(), lr=0.1)

for it in range(6):
    x = torch.randn(3, 5, 4)
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    loss = nn.functional.mse_loss(decoder(encoder(x)[0]), x)
    loss.backward()
    clip_grad_norm_(decoder.parameters(), 1.0)
    enc_opt.step()
    dec_opt.step()
    clip_grad_norm_(encoder.parameters(), 0.01)  # ZG401 lint watch
print(loss.item())
