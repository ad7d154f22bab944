import torch
from torch import nn
torch.manual_seed(5)
class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(4, 16)
        self.pi = nn.Linear(16, 3)
        self.v = nn.Linear(16, 1)
    def forward(self, s):
        h = self.trunk(s).tanh()
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)
net = ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=3e-2, eps=1e-5)
for update in range(6):
    opt.param_groups[0]["lr"] = 3e-2 * (1 - update / 6)
    with torch.no_grad():
        s = torch.randn(64, 4)
        dist, v = net(s)
        a = dist.sample(); lp = dist.log_prob(a)
        ret = (a == s[:, :3].argmax(1)).float(); adv = ret - v
    for epoch in range(4):
        kls = []
        for idx in torch.randperm(64).split(16):
            dist, value = net(s[idx])
            logratio = dist.log_prob(a[idx]) - lp[idx]
            ratio = logratio.exp()
            with torch.no_grad():
                kls.append(((ratio - 1) - logratio).mean().item())
            ad = (adv[idx] - adv[idx].mean()) / (adv[idx].std() + 1e-8)
            pg = torch.max(-ad * ratio, -ad * ratio.clamp(0.8, 1.2)).mean()
            loss = pg - 0.01 * dist.entropy().mean() + 0.5 * 0.5 * (value - ret[idx]).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
        if sum(kls) / len(kls) > 0.02:
            break
