import torch
from torch import nn
torch.manual_seed(1)
class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr=0.02, momentum=0.9):
        super().__init__(params, dict(lr=lr, momentum=momentum))
    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                buf = state.setdefault("buf", torch.zeros_like(p))
                buf.lerp_(p.grad, 1 - group["momentum"])
                update = p.grad.lerp(buf, group["momentum"])
                x = update / (update.norm() + 1e-7)
                for _ in range(3):
                    a = x @ x.T
                    x = 1.5 * x - 0.5 * a @ x
                p.add_(x, alpha=-group["lr"])
model = nn.Sequential(nn.Embedding(20, 16), nn.Linear(16, 16), nn.LayerNorm(16), nn.Linear(16, 20))
matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and not n.startswith("0")]
rest = [p for n, p in model.named_parameters() if p.ndim != 2 or n.startswith("0")]
optimizers = [Muon(matrices), torch.optim.AdamW(rest, lr=1e-3)]
tokens = torch.randint(0, 20, (400,))
accum = 2
for step in range(12):
    for micro in range(accum):
        i = torch.randint(0, 399, (16,))
        loss = nn.functional.cross_entropy(model(tokens[i]), tokens[i + 1]) / accum
        loss.backward()
    for p in model.parameters():
        if p.grad is not None:
            p.grad.nan_to_num_(0.0)
    for opt in optimizers:
        for group in opt.param_groups:
            group["lr"] *= 0.99
        opt.step()
    model.zero_grad(set_to_none=True)
