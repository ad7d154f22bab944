import torch
from torch import nn


class AdaHess(torch.optim.Optimizer):
    """Diagonal Hessian by Hutchinson's estimator; needs backward(create_graph=True)."""

    def __init__(self, params, lr=0.1, eps=1e-2):
        super().__init__(params, {"lr": lr, "eps": eps})

    def step(self):
        params = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        grads = [p.grad for p in params]
        signs = [torch.randint_like(p, 0, 2) * 2 - 1 for p in params]
        products = torch.autograd.grad(grads, params, grad_outputs=signs)
        with torch.no_grad():
            for p, g, h, s in zip(params, grads, products, signs):
                p -= self.defaults["lr"] * g / ((h * s).abs() + self.defaults["eps"]).sqrt()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = AdaHess(model.parameters())
x = torch.randn(24, 3)
for _ in range(5):
    loss = nn.functional.mse_loss(model(x), x[:, :1] * x[:, 1:2])
    loss.backward(create_graph=True)
    optimizer.step()
    optimizer.zero_grad()
