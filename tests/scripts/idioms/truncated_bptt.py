"""Truncated BPTT: the hidden state is detached between the chunks, one step for each chunk."""
import torch
from torch import nn


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


torch.manual_seed(0)
ntoken, bptt, lr = 20, 5, 1.0
corpus = torch.randint(0, ntoken, (41, 4))
embed, rnn, decode = nn.Embedding(ntoken, 8), nn.LSTM(8, 16), nn.Linear(16, ntoken)
model = nn.ModuleList([embed, rnn, decode])
optimizer = torch.optim.SGD(model.parameters(), lr=lr)
criterion = nn.CrossEntropyLoss()

for epoch in range(2):
    hidden = (torch.zeros(1, 4, 16), torch.zeros(1, 4, 16))
    total_loss = 0.0
    for i in range(0, corpus.size(0) - 1, bptt):
        data, targets = corpus[i : i + bptt], corpus[i + 1 : i + 1 + bptt]
        hidden = repackage_hidden(hidden)
        model.zero_grad()
        output, hidden = rnn(embed(data), hidden)
        loss = criterion(decode(output).view(-1, ntoken), targets.reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        total_loss += loss.item()
    print(f"{total_loss / 8:.2f}")
