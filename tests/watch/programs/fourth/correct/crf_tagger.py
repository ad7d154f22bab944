"""A BiLSTM-CRF by hand: forward algorithm, score of the gold path, one sentence at a time."""

import torch
from torch import nn


class CRF(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(tags, tags) * 0.1)
        self.start, self.end = nn.Parameter(torch.zeros(tags)), nn.Parameter(torch.zeros(tags))

    def log_z(self, emissions):
        alpha = self.start + emissions[0]
        for e in emissions[1:]:
            alpha = torch.logsumexp(alpha[:, None] + self.transitions + e, 0)
        return torch.logsumexp(alpha + self.end, 0)

    def score(self, emissions, tags):
        s = self.start[tags[0]] + self.end[tags[-1]]
        s = s + emissions.gather(1, tags[:, None]).sum()
        return s + self.transitions[tags[:-1], tags[1:]].sum()

    def forward(self, emissions, tags):
        return self.log_z(emissions) - self.score(emissions, tags)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.lstm = nn.Embedding(20, 8), nn.LSTM(8, 8, bidirectional=True)
        self.linear, self.crf = nn.Linear(16, 4), CRF(4)

    def neg_log_likelihood(self, words, tags):
        return self.crf(self.linear(self.lstm(self.embed(words))[0]), tags)


torch.manual_seed(74)
sentences = [torch.randint(0, 20, (n,)) for n in (4, 6, 5, 7, 3)]
data = [(s, s % 4) for s in sentences]
model = Tagger()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=1e-4)
for epoch in range(4):
    for words, tags in data:
        model.zero_grad()
        loss = model.neg_log_likelihood(words, tags)
        loss.backward()
        optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
