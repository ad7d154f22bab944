import torch
from torch import nn
torch.manual_seed(27)
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return -ctx.alpha * g, None
feat, label, domain = nn.Linear(6, 10), nn.Linear(10, 3), nn.Linear(10, 2)
opt = torch.optim.SGD([*feat.parameters(), *label.parameters(), *domain.parameters()], lr=0.05, momentum=0.9)
src = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,))), batch_size=8)
tgt = torch.utils.data.DataLoader(torch.randn(40, 6) + 1, batch_size=8)
for epoch in range(3):
    for i, ((xs, ys), xt) in enumerate(zip(src, tgt)):
        p = (epoch * 5 + i) / 15
        alpha = 2 / (1 + torch.exp(torch.tensor(-10.0 * p)).item()) - 1
        feat.zero_grad(); label.zero_grad(); domain.zero_grad()
        fs = feat(xs).relu()
        err_label = nn.functional.cross_entropy(label(fs), ys)
        err_src = nn.functional.cross_entropy(domain(Reverse.apply(fs, alpha)), torch.zeros(8, dtype=torch.long))
        ft = feat(xt).relu()
        err_tgt = nn.functional.cross_entropy(domain(Reverse.apply(ft, alpha)), torch.ones(8, dtype=torch.long))
        err_tgt.backward()
        (err_label + err_src).backward()
        opt.step()
