import torch
from torch import nn
torch.manual_seed(62)
class LoRA(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(r, base.in_features) * 0.01)
        self.b = nn.Parameter(torch.zeros(base.out_features, r))
    def forward(self, x):
        return self.base(x) + x @ self.a.T @ self.b.T
net = nn.Sequential(LoRA(nn.Linear(6, 8)), nn.ReLU(), LoRA(nn.Linear(8, 2)))
trainable = [p for p in net.parameters() if p.requires_grad]
opt = torch.optim.AdamW(trainable, lr=1e-3)
for i in range(10):
    x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    opt.zero_grad()
