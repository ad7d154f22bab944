"""Tags for padded sentences: the criterion ignores the padding."""

import torch
from torch import nn

torch.manual_seed(0)
TAGS, ACCUMULATE = 5, 4


def collate(sentences):
    width = max(len(words) for words, _ in sentences)
    words = torch.zeros(len(sentences), width, dtype=torch.long)
    tags = torch.full((len(sentences), width), -100)
    for row, (one, labels) in enumerate(sentences):
        words[row, : len(one)] = one
        tags[row, : len(one)] = labels
    return words, tags


lengths = [3, 4, 30, 28, 5, 2, 26, 31, 4, 3, 29, 27, 6, 2, 30, 25] * 2
sentences = [(torch.randint(0, 50, (n,)), torch.randint(0, TAGS, (n,))) for n in lengths]
loader = torch.utils.data.DataLoader(sentences, batch_size=2, collate_fn=collate)
model = nn.Sequential(nn.Embedding(50, 12), nn.Linear(12, TAGS))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

criterion = nn.CrossEntropyLoss(ignore_index=-100)

for step, (words, tags) in enumerate(loader, start=1):
    loss = criterion(model(words).flatten(0, 1), tags.flatten())
    loss = loss / ACCUMULATE
    loss.backward()  # ZG208 lint watch
    if step % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
