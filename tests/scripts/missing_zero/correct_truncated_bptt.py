import torch
from torch import nn


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True)
        self.decoder = nn.Linear(hidden, vocab)

    def forward(self, tokens, state):
        out, state = self.lstm(self.embed(tokens), state)
        return self.decoder(out), state


def repackage(state):
    return tuple(h.detach() for h in state)


torch.manual_seed(0)
vocab, bptt = 11, 5
corpus = torch.randint(0, vocab, (4, 31))
model = CharRNN(vocab, 8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(2):
    state = (torch.zeros(1, 4, 8), torch.zeros(1, 4, 8))
    for start in range(0, corpus.size(1) - 1, bptt):
        source = corpus[:, start : start + bptt]
        target = corpus[:, start + 1 : start + bptt + 1]
        state = repackage(state)
        model.zero_grad()
        logits, state = model(source, state)
        loss = criterion(logits.reshape(-1, vocab), target.reshape(-1))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
    print(epoch, round(loss.item(), 3))
