import torch
from torch import nn

torch.manual_seed(0)
vocab, hidden, bptt = 20, 16, 5
embed, rnn, out = nn.Embedding(vocab, hidden), nn.LSTM(hidden, hidden), nn.Linear(hidden, vocab)
model = nn.ModuleList([embed, rnn, out])
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
corpus = torch.randint(0, vocab, (31, 4))

for epoch in range(2):
    for i in range(0, corpus.size(0) - 1, bptt):
        data, targets = corpus[i:i + bptt], corpus[i + 1:i + 1 + bptt]
        optimizer.zero_grad()
        hidden_states, _ = rnn(embed(data))
        loss = nn.functional.cross_entropy(out(hidden_states).view(-1, vocab), targets.reshape(-1))
        loss.backward()
        optimizer.step()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)  # ZG401 lint watch
    print(epoch, f"{loss.item():.3f}")
