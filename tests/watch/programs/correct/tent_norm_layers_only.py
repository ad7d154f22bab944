import torch
from torch import nn
torch.manual_seed(46)
net = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(60, 6); y = x[:, :3].argmax(1)
for epoch in range(4):
    for i in torch.randperm(60).split(20):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x[i]), y[i]).backward()
        opt.step()
opt.zero_grad()
net.train(); net.requires_grad_(False)
affine = []
for m in net.modules():
    if isinstance(m, nn.BatchNorm1d):
        m.requires_grad_(True); m.track_running_stats = False
        affine += [m.weight, m.bias]
adapt = torch.optim.SGD(affine, lr=0.01, momentum=0.9)
for batch in torch.randn(6, 20, 6) + 0.5:
    logits = net(batch)
    entropy = -(logits.softmax(1) * logits.log_softmax(1)).sum(1).mean()
    entropy.backward()
    adapt.step()
    adapt.zero_grad()
