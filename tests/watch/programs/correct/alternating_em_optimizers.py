import torch
from torch import nn
torch.manual_seed(58)
flow, prior = nn.Linear(2, 2), nn.Linear(1, 2)
e_opt, m_opt = torch.optim.Adam(flow.parameters(), 1e-2), torch.optim.Adam(prior.parameters(), 1e-2)
data = torch.randn(32, 2)
def nll():
    return (flow(data) - prior(torch.ones(1, 1))).square().mean() - torch.slogdet(flow.weight)[1]
for outer in range(4):
    for _ in range(3):
        e_opt.zero_grad(); m_opt.zero_grad()
        nll().backward()
        e_opt.step()
    for _ in range(3):
        e_opt.zero_grad(); m_opt.zero_grad()
        nll().backward()
        m_opt.step()
