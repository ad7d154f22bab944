import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(83)
client, server = nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 3)
opt_c, opt_s = torch.optim.Adam(client.parameters(), 1e-3), torch.optim.Adam(server.parameters(), 1e-3)


def train_server(smashed, y):
    opt_s.zero_grad()
    smashed = smashed.clone().detach().requires_grad_(True)
    loss = F.cross_entropy(server(smashed), y)
    loss.backward()
    gradient = smashed.grad.clone().detach()
    opt_s.step()
    return gradient


for step in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    opt_c.zero_grad()
    fx = client(x)
    fx.backward(train_server(fx, y))
    opt_c.step()
