import copy
import torch
from torch import nn
torch.manual_seed(20)
G = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 6))
D = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_ema = copy.deepcopy(G).eval()
g_opt = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.0, 0.99))
d_opt = torch.optim.Adam(D.parameters(), lr=2e-3 * 16 / 17, betas=(0.0, 0.99))
def requires_grad(model, flag):
    for p in model.parameters():
        p.requires_grad = flag
mean_path = 0
loader = torch.utils.data.DataLoader(torch.randn(64, 6), batch_size=8, shuffle=True)
step = 0
for epoch in range(3):
    for real in loader:
        requires_grad(G, False); requires_grad(D, True)
        fake = G(torch.randn(8, 4))
        d_loss = nn.functional.softplus(-D(real)).mean() + nn.functional.softplus(D(fake)).mean()
        D.zero_grad()
        d_loss.backward()
        d_opt.step()
        if step % 4 == 0:
            real.requires_grad = True
            pred = D(real)
            (g,) = torch.autograd.grad(pred.sum(), real, create_graph=True)
            r1 = g.pow(2).reshape(8, -1).sum(1).mean()
            D.zero_grad()
            (10 / 2 * r1 * 4 + 0 * pred[0].sum()).backward()
            d_opt.step()
        requires_grad(G, True); requires_grad(D, False)
        g_loss = nn.functional.softplus(-D(G(torch.randn(8, 4)))).mean()
        G.zero_grad()
        g_loss.backward()
        g_opt.step()
        if step % 3 == 0:
            w = torch.randn(4, 4, requires_grad=True)
            img = G(w)
            (grad,) = torch.autograd.grad((img * torch.randn_like(img)).sum(), w, create_graph=True)
            lengths = grad.pow(2).sum(1).sqrt()
            mean = mean_path + 0.01 * (lengths.mean() - mean_path)
            penalty = (lengths - mean).pow(2).mean()
            mean_path = mean.detach()
            G.zero_grad()
            (2 * 3 * penalty + 0 * img[0, 0]).backward()
            g_opt.step()
        with torch.no_grad():
            for a, b in zip(g_ema.parameters(), G.parameters()):
                a.mul_(0.99).add_(b, alpha=0.01)
        step += 1
