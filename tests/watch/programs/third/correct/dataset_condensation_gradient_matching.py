import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(80)
real_x, real_y = torch.randn(48, 6), torch.randint(0, 3, (48,))
syn = torch.randn(6, 6, requires_grad=True)
syn_y = torch.tensor([0, 0, 1, 1, 2, 2])
opt_img = torch.optim.SGD([syn], lr=0.1, momentum=0.5)
for outer in range(4):
    net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    params = list(net.parameters())
    opt_net = torch.optim.SGD(params, lr=0.01)
    for inner in range(3):
        loss = torch.zeros(())
        for c in range(3):
            x = real_x[real_y == c][:8]
            g_real = [g.detach().clone() for g in torch.autograd.grad(F.cross_entropy(net(x), torch.full((len(x),), c)), params)]
            s = syn[syn_y == c]
            g_syn = torch.autograd.grad(F.cross_entropy(net(s), torch.full((len(s),), c)), params, create_graph=True)
            loss = loss + sum(1 - F.cosine_similarity(a.flatten(), b.flatten(), dim=0) for a, b in zip(g_syn, g_real))
        opt_img.zero_grad()
        loss.backward()
        opt_img.step()
        for _ in range(3):
            opt_net.zero_grad()
            F.cross_entropy(net(syn.detach()), syn_y).backward()
            opt_net.step()
