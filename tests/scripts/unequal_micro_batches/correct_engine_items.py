"""Tags for padded sentences: the engine is told how many tags a mean is over."""

import torch
from torch import nn

import zerograd

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
gradients = zerograd.Gradients(optimizer, accumulate=ACCUMULATE)

criterion = nn.CrossEntropyLoss(ignore_index=-100)

for words, tags in gradients.batches(loader):
    loss = criterion(model(words).flatten(0, 1), tags.flatten())
    gradients.backward(loss, items=(tags != -100).sum())
