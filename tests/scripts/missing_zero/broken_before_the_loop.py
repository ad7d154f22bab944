import itertools

import torch
from torch import nn


def stream(seed):
    g = torch.Generator().manual_seed(seed)
    while True:
        seq = torch.randn(6, 4, 3, generator=g)
        yield seq, seq.sum(dim=(0, 2)).unsqueeze(1)


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 5)
        self.out = nn.Linear(5, 1)

    def forward(self, seq):
        hidden, _ = self.rnn(seq)
        return self.out(hidden[-1])


torch.manual_seed(5)
model = Forecaster()
optim = torch.optim.Adam(model.parameters())
optim.zero_grad()
for seq, target in itertools.islice(stream(5), 8):
    loss = nn.functional.huber_loss(model(seq), target)
    loss.backward()  # ZG101 lint watch
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optim.step()
print(round(loss.item(), 3))
