import torch
from torch import nn
torch.manual_seed(9)
params = {"xyz": nn.Parameter(torch.randn(30, 2)), "scale": nn.Parameter(torch.zeros(30, 1)), "opacity": nn.Parameter(torch.zeros(30, 1))}
opt = torch.optim.Adam([{"params": [v], "lr": 1e-2 if k == "xyz" else 5e-3, "name": k} for k, v in params.items()], lr=0.0, eps=1e-15)
target = torch.rand(16, 16); grid = torch.stack(torch.meshgrid(torch.linspace(-2, 2, 16), torch.linspace(-2, 2, 16), indexing="ij"), -1)
def change(select, extension=None):
    for group in opt.param_groups:
        old = group["params"][0]
        state = opt.state.pop(old, None)
        value = old.data[select]
        if extension is not None:
            value = torch.cat([value, extension[group["name"]]])
        new = nn.Parameter(value)
        if state is not None:
            for key in ("exp_avg", "exp_avg_sq"):
                kept = state[key][select]
                if extension is not None:
                    kept = torch.cat([kept, torch.zeros_like(extension[group["name"]])])
                state[key] = kept
            opt.state[new] = state
        group["params"][0] = new
        params[group["name"]] = new
    global gathered, seen
    gathered = torch.zeros(len(params["xyz"])); seen = torch.zeros(len(params["xyz"]))
gathered, seen = torch.zeros(30), torch.zeros(30)
for iteration in range(1, 41):
    screen = torch.zeros_like(params["xyz"], requires_grad=True) + 0
    screen.retain_grad()
    d = (grid[None] - (params["xyz"] + screen)[:, None, None]).square().sum(-1)
    image = (params["opacity"].sigmoid()[:, :, None] * (-d / (0.1 + params["scale"].exp()[:, :, None])).exp()).sum(0)
    loss = 0.8 * (image - target).abs().mean() + 0.2 * (image - target).square().mean()
    loss.backward()
    with torch.no_grad():
        gathered += screen.grad.norm(dim=-1); seen += 1
        if iteration % 10 == 0 and iteration < 35:
            busy = gathered / seen > (gathered / seen).quantile(0.8)
            change(torch.ones_like(busy), {k: v.data[busy] + 0.01 for k, v in params.items()})
            keep = params["opacity"].sigmoid().squeeze(1) > 0.05
            change(keep)
        if iteration % 15 == 0:
            for group in opt.param_groups:
                if group["name"] == "opacity":
                    params["opacity"].data.clamp_(max=-1.0)
                    opt.state.pop(group["params"][0], None)
        opt.step()
        opt.zero_grad(set_to_none=True)
