"""An encoder and a decoder with attention, an optimizer each, and scheduled teacher forcing."""

import random

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, v, h):
        super().__init__()
        self.embed, self.gru = nn.Embedding(v, h), nn.GRU(h, h, batch_first=True)

    def forward(self, x):
        return self.gru(self.embed(x))


class Decoder(nn.Module):
    def __init__(self, v, h):
        super().__init__()
        self.embed, self.cell, self.out = nn.Embedding(v, h), nn.GRUCell(2 * h, h), nn.Linear(h, v)

    def forward(self, token, hidden, memory):
        weights = torch.bmm(memory, hidden.unsqueeze(2)).softmax(1)
        context = (weights * memory).sum(1)
        hidden = self.cell(torch.cat([self.embed(token), context], 1), hidden)
        return self.out(hidden), hidden


def train_step(encoder, decoder, optimizers, source, target, ratio):
    for o in optimizers:
        o.zero_grad()
    memory, hidden = encoder(source)
    hidden = hidden.squeeze(0)
    token, loss = torch.zeros(len(source), dtype=torch.long), 0
    for t in range(target.size(1)):
        logits, hidden = decoder(token, hidden, memory)
        loss += nn.functional.cross_entropy(logits, target[:, t])
        token = target[:, t] if random.random() < ratio else logits.argmax(1)
    loss = loss / target.size(1)
    loss.backward()
    for module, o in zip((encoder, decoder), optimizers):
        nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizers[0].step()  # ZG302 watch
    return loss.item()


torch.manual_seed(72)
random.seed(72)
encoder, decoder = Encoder(10, 16), Decoder(10, 16)
optimizers = [torch.optim.Adam(m.parameters(), lr=5e-3) for m in (encoder, decoder)]  # ZG303 watch
for step in range(20):
    source = torch.randint(1, 10, (8, 5))
    train_step(encoder, decoder, optimizers, source, source.flip(1), ratio=1 - step / 20)
print("digest", sum(p.double().sum().item() for p in decoder.parameters()).hex())
