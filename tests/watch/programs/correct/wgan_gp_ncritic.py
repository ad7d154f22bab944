import torch
from torch import nn
torch.manual_seed(24)
G, C = nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 12), nn.LeakyReLU(), nn.Linear(12, 1))
opt = {"g": torch.optim.Adam(G.parameters(), 1e-4, (0., .9)), "c": torch.optim.Adam(C.parameters(), 1e-4, (0., .9))}
loader = torch.utils.data.DataLoader(torch.randn(60, 2), batch_size=10)
for epoch in range(2):
    for i, real in enumerate(loader):
        fake = G(torch.randn(10, 3)).detach()
        mix = torch.lerp(real, fake, torch.rand(10, 1)).requires_grad_()
        grad = torch.autograd.grad(C(mix).sum(), mix, create_graph=True)[0]
        loss = C(fake).mean() - C(real).mean() + 10 * ((grad.norm(dim=1) - 1) ** 2).mean()
        opt["c"].zero_grad(); loss.backward(); opt["c"].step()
        if i % 3 == 2:
            opt["g"].zero_grad()
            (-C(G(torch.randn(10, 3))).mean()).backward()
            opt["g"].step()
