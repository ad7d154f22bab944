import torch
from torch import nn
torch.manual_seed(38)
class Binarize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w.sign()
    @staticmethod
    def backward(ctx, g):
        (w,) = ctx.saved_tensors
        return g * (w.abs() <= 1)
class BinaryLinear(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(x, Binarize.apply(self.weight), self.bias)
net = nn.Sequential(BinaryLinear(6, 12), nn.Hardtanh(), BinaryLinear(12, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for k in range(12):
    x, y = torch.randn(10, 6), torch.randint(0, 2, (10,))
    loss = nn.functional.cross_entropy(net(x), y)
    net.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p in net.parameters():
            p.clamp_(-1, 1)
