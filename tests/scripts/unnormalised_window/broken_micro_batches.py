import torch
from torch import nn


def train(net, optimizer, x, y, batch_size, micro_batch_size):
    for batch in torch.randperm(len(x)).split(batch_size):
        optimizer.zero_grad()
        for micro_batch in batch.split(micro_batch_size):
            loss = nn.functional.binary_cross_entropy_with_logits(net(x[micro_batch]), y[micro_batch])
            loss.backward()  # ZG201 lint watch
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()


torch.manual_seed(9)
net = nn.Sequential(nn.Linear(7, 14), nn.GELU(), nn.Linear(14, 1))
x = torch.randn(64, 7)
train(net, torch.optim.AdamW(net.parameters()), x, (x.sum(1, keepdim=True) > 0).float(), 16, 4)
print("done")
