import torch
from torch import nn
torch.manual_seed(9)
means = nn.Parameter(torch.rand(20, 2))
colors = nn.Parameter(torch.rand(20, 1))
opt = torch.optim.Adam([{"params": [means], "lr": 1e-2, "name": "xyz"}, {"params": [colors], "lr": 1e-2, "name": "f"}], eps=1e-15)
target = torch.rand(8, 8)
grid = torch.stack(torch.meshgrid(torch.linspace(0, 1, 8), torch.linspace(0, 1, 8), indexing="ij"), -1)
def cat_to_optimizer(new):
    out = {}
    for group in opt.param_groups:
        old = group["params"][0]
        state = opt.state.pop(old, None)
        extra = new[group["name"]]
        group["params"][0] = nn.Parameter(torch.cat([old.detach(), extra]))
        if state is not None:
            for k in ("exp_avg", "exp_avg_sq"):
                state[k] = torch.cat([state[k], torch.zeros_like(extra)])
            opt.state[group["params"][0]] = state
        out[group["name"]] = group["params"][0]
    return out
accum = torch.zeros(20)
for it in range(1, 31):
    d = ((grid[:, :, None] - means) ** 2).sum(-1)
    image = ((-d * 40).exp() * colors.squeeze(1)).sum(-1)
    loss = (image - target).abs().mean()
    loss.backward()
    with torch.no_grad():
        accum += means.grad.norm(dim=1)
        if it % 10 == 0:
            hot = accum > accum.median()
            fresh = cat_to_optimizer({"xyz": means[hot] + 0.01, "f": colors[hot]})
            means, colors = fresh["xyz"], fresh["f"]
            accum = torch.zeros(len(means))
        opt.step()
        opt.zero_grad(set_to_none=True)
