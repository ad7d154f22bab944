import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocab=30, tags=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, 8)
        self.lstm = nn.LSTM(8, 8, batch_first=True)
        self.project = nn.Linear(8, tags)

    def forward(self, tokens):
        hidden, _ = self.lstm(self.embed(tokens))
        return self.project(hidden)


torch.manual_seed(0)
tagger = Tagger()
optimizer = torch.optim.Adam([*tagger.embed.parameters(), *tagger.lstm.parameters()], lr=1e-2)  # ZG304 lint watch

for epoch in range(6):
    tokens, tags = torch.randint(0, 30, (4, 7)), torch.randint(0, 4, (4, 7))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(tagger(tokens).reshape(-1, 4), tags.reshape(-1))
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
