import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(5)
Q, P, D = nn.Linear(8, 2), nn.Linear(2, 8), nn.Linear(2, 1)
Q_enc_optim = torch.optim.Adam(Q.parameters(), 1e-3)
P_optim = torch.optim.Adam(P.parameters(), 1e-3)
Q_gen_optim = torch.optim.Adam(Q.parameters(), 5e-4)
D_optim = torch.optim.Adam(D.parameters(), 5e-4)
EPS = 1e-8
for epoch in range(2):
    for _ in range(8):
        x = torch.rand(16, 8)
        P.zero_grad()
        Q.zero_grad()
        D.zero_grad()
        recon = F.binary_cross_entropy(torch.sigmoid(P(Q(x))), x)
        recon.backward()
        P_optim.step()
        Q_enc_optim.step()
        Q.eval()
        real = torch.randn(16, 2)
        D_loss = -torch.mean(torch.log(torch.sigmoid(D(real)) + EPS) + torch.log(1 - torch.sigmoid(D(Q(x))) + EPS))
        D_loss.backward()
        D_optim.step()
        Q.zero_grad()
        D.zero_grad()
        Q.train()
        G_loss = -torch.mean(torch.log(torch.sigmoid(D(Q(x))) + EPS))
        G_loss.backward()
        Q_gen_optim.step()
