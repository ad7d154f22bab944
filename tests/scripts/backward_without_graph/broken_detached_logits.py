from typing import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Classifier(nn.Module):
    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocabulary, 16)
        self.head = nn.Linear(16, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.embedding(tokens))


def batches(count: int) -> Iterator[tuple[Tensor, Tensor]]:
    for _ in range(count):
        yield torch.randint(0, 50, (4, 7)), torch.randint(0, 3, (4,))


def train(model: Classifier, optimizer: torch.optim.Optimizer) -> None:
    for tokens, labels in batches(6):
        logits = model(tokens).detach()
        loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # ZG601 lint
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(1)
    classifier = Classifier(50, 3)
    train(classifier, torch.optim.AdamW(classifier.parameters(), lr=1e-3))
