import torch
from torch import nn

torch.manual_seed(20)
rule = nn.LSTMCell(1, 8)
head = nn.Linear(8, 1)
meta = torch.optim.Adam([*rule.parameters(), *head.parameters()], lr=1e-3)
for episode in range(5):
    target = torch.randn(4)
    theta = torch.zeros(4, requires_grad=True)
    h = c = torch.zeros(4, 8)
    losses = torch.zeros(())
    meta.zero_grad()
    for t in range(1, 21):
        loss = ((theta - target) ** 2).sum()
        losses = losses + loss
        (grad,) = torch.autograd.grad(loss, theta, retain_graph=True)
        h, c = rule(grad.detach()[:, None], (h, c))
        theta = theta + 0.1 * head(h).squeeze(1)
        if t % 5 == 0:
            meta.zero_grad()
            losses.backward()
            nn.utils.clip_grad_norm_(rule.parameters(), 1.0)
            meta.step()
            losses = torch.zeros(())
            theta = theta.detach().requires_grad_()
            h, c = h.detach(), c.detach()
