import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(60)
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=8)


def trades_loss(x, y, step=0.03, eps=0.1, steps=3, beta=6.0):
    model.eval()
    adv = x.detach() + 0.001 * torch.randn_like(x)
    for _ in range(steps):
        adv.requires_grad_()
        with torch.enable_grad():
            kl = F.kl_div(F.log_softmax(model(adv), 1), F.softmax(model(x), 1), reduction="sum")
        grad = torch.autograd.grad(kl, [adv])[0]
        adv = adv.detach() + step * torch.sign(grad.detach())
        adv = torch.min(torch.max(adv, x - eps), x + eps)
    model.train()
    optimizer.zero_grad()
    logits = model(x)
    robust = F.kl_div(F.log_softmax(model(adv), 1), F.softmax(model(x), 1), reduction="batchmean")
    return F.cross_entropy(logits, y) + beta * robust


for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = trades_loss(x, y)
        loss.backward()
        optimizer.step()
