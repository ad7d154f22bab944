import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(42)


class AdaHessian(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps})

    def traces(self):
        params = [p for g in self.param_groups for p in g["params"] if p.grad is not None]
        grads = [p.grad for p in params]
        zs = [torch.randint_like(p, 2) * 2.0 - 1.0 for p in params]
        hz = torch.autograd.grad(grads, params, grad_outputs=zs, retain_graph=False)
        return {p: (h * z).abs() for p, h, z in zip(params, hz, zs)}

    @torch.no_grad()
    def step(self, closure=None):
        with torch.enable_grad():
            hessian = self.traces()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state.update(step=0, m=torch.zeros_like(p), h=torch.zeros_like(p))
                state["step"] += 1
                state["m"].mul_(b1).add_(p.grad.detach(), alpha=1 - b1)
                state["h"].mul_(b2).addcmul_(hessian[p], hessian[p], value=1 - b2)
                denom = (state["h"] / (1 - b2 ** state["step"])).sqrt().add_(group["eps"])
                p.addcdiv_(state["m"] / (1 - b1 ** state["step"]), denom, value=-group["lr"])


model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
opt = AdaHessian(model.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(16, 6)
    opt.zero_grad()
    loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward(create_graph=True)
    opt.step()
    for p in model.parameters():
        p.grad = None
