import torch
from torch import nn


def fit(model, batches, every=3):
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    count = 0
    for x, y in batches:
        loss = nn.functional.l1_loss(model(x), y) / every
        loss.backward()
        count += 1
        if count % every == 0:
            optimizer.step()
            optimizer.zero_grad()
    return count


torch.manual_seed(0)
print(fit(nn.Linear(2, 1), [(torch.randn(5, 2), torch.randn(5, 1)) for _ in range(12)]))
