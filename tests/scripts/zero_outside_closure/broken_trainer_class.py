import torch
from torch import nn


class PINN:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
        self.optimizer = torch.optim.LBFGS(
            self.net.parameters(), max_iter=6, line_search_fn="strong_wolfe"
        )
        self.points = torch.linspace(0, 1, 20).unsqueeze(1).requires_grad_(True)
        self.iterations = 0

    def residual(self):
        u = self.net(self.points)
        (du,) = torch.autograd.grad(u.sum(), self.points, create_graph=True)
        boundary = (self.net(torch.zeros(1, 1)) - 1) ** 2
        return ((du + u) ** 2).mean() + boundary.mean()

    def loss_closure(self):
        self.net.train()
        loss = self.residual()
        loss.backward(inputs=list(self.net.parameters()))  # ZG106 lint watch
        self.iterations += 1
        return loss

    def train(self, rounds):
        for _ in range(rounds):
            self.optimizer.zero_grad()
            self.optimizer.step(self.loss_closure)
        return self.iterations


torch.manual_seed(0)
print(PINN().train(2) > 2)
