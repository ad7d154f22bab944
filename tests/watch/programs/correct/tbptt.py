import torch
from torch import nn
torch.manual_seed(31)
lstm, dec = nn.LSTM(4, 8), nn.Linear(8, 4)
opt = torch.optim.SGD([*lstm.parameters(), *dec.parameters()], lr=0.5)
seq = torch.randn(60, 3, 4)
for epoch in range(2):
    state = (torch.zeros(1, 3, 8), torch.zeros(1, 3, 8))
    for i in range(0, 59, 10):
        state = tuple(s.detach() for s in state)
        n = min(10, 59 - i)
        opt.zero_grad()
        out, state = lstm(seq[i:i + n], state)
        loss = nn.functional.mse_loss(dec(out), seq[i + 1:i + 1 + n])
        loss.backward()
        nn.utils.clip_grad_norm_(lstm.parameters(), 0.25)
        opt.step()
