import torch
from torch import nn

from optim import get_optimizers

torch.manual_seed(0)
user_tower = nn.Embedding(20, 6)
item_tower = nn.Embedding(30, 6)
user_opt, item_opt = get_optimizers(user_tower, item_tower, lr=0.05)

for epoch in range(4):
    users, items = torch.randint(0, 20, (16,)), torch.randint(0, 30, (16,))
    clicks = torch.randint(0, 2, (16,)).float()
    scores = (user_tower(users) * item_tower(items)).sum(1)
    loss = nn.functional.binary_cross_entropy_with_logits(scores, clicks)
    for opt in (user_opt, item_opt):
        opt.zero_grad()
    loss.backward()
    for opt in (user_opt, item_opt):
        opt.step()
    print(epoch, f"{loss.item():.4f}")
