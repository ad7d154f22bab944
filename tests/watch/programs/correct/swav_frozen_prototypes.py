import torch
from torch import nn
torch.manual_seed(14)
backbone = nn.Linear(10, 8)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = backbone
        self.prototypes = nn.Linear(8, 6, bias=False)
    def forward(self, x):
        z = nn.functional.normalize(self.backbone(x), dim=1)
        return z, self.prototypes(z)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
queue = torch.zeros(2, 32, 8); use_queue = False
for epoch in range(4):
    for it in range(4):
        x = torch.randn(16, 10)
        with torch.no_grad():
            net.prototypes.weight.copy_(nn.functional.normalize(net.prototypes.weight, dim=1))
        views = [x + 0.1 * torch.randn_like(x) for _ in range(2)]
        zs, scores = zip(*(net(v) for v in views))
        loss = 0
        for i in range(2):
            with torch.no_grad():
                out = scores[i].detach()
                if use_queue:
                    out = torch.cat([net.prototypes(queue[i]), out])
                Q = (out / 0.05).exp(); Q = Q / Q.sum()
                for _ in range(3):
                    Q = Q / Q.sum(0, keepdim=True); Q = Q / Q.sum(1, keepdim=True)
                code = Q[-16:]
                queue[i] = torch.cat([zs[i].detach(), queue[i, :16]])
            loss = loss - (code * (scores[1 - i] / 0.1).log_softmax(1)).sum(1).mean()
        loss = loss / 2
        opt.zero_grad()
        loss.backward()
        if epoch < 1:
            for name, p in net.named_parameters():
                if "prototypes" in name:
                    p.grad = None
        opt.step()
    use_queue = epoch >= 1
