"""Group-robust training: one loss an environment, stored by its number, weighted and summed."""
import torch
import torch.nn.functional as F
from torch import nn


def train(model, batches, optimizer, n_domains):
    for x, y in batches:
        loss_per_domain = torch.zeros(n_domains)
        for i, (part, labels) in enumerate(zip(x.chunk(n_domains), y.chunk(n_domains))):
            loss_per_domain[i] = F.cross_entropy(model(part), labels)
        loss = loss_per_domain.mean() + 0.1 * loss_per_domain.var()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, [(torch.randn(12, 4), torch.randint(3, (12,))) for _ in range(5)], optimizer, 3)


main()
