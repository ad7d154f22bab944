import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(4, 3), nn.Linear(3, 4)
opt_encoder = torch.optim.SGD(encoder.parameters(), lr=0.1)
opt_decoder = torch.optim.SGD(decoder.parameters(), lr=0.1)

for step in range(9):
    x = torch.randn(6, 4)
    if step % 3 != 2:
        x = x * 1e30
    opt_encoder.zero_grad()
    opt_decoder.zero_grad()
    code = encoder(x)
    loss = nn.functional.mse_loss(decoder(code.clamp(-3, 3)), x.clamp(-3, 3)) + code.pow(2).mean()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
    if torch.isfinite(norm):
        opt_encoder.step()
    opt_decoder.step()
print(norm.item())
