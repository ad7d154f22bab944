"""DARTS: the architecture's gradient comes from a finite difference and is copied into .grad."""
import torch
import torch.nn.functional as F
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.ops = nn.ModuleList([nn.Linear(6, 3), nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))])
        self.alpha = torch.zeros(2, requires_grad=True)

    def forward(self, x):
        return sum(w * op(x) for w, op in zip(self.alpha.softmax(0), self.ops))

    def arch_parameters(self):
        return [self.alpha]


class Architect:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.arch_parameters(), lr=3e-3, betas=(0.5, 0.999))

    def step(self, train, valid):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model(valid[0]), valid[1])
        dalpha = torch.autograd.grad(loss, self.model.arch_parameters(), retain_graph=True)
        vector = torch.autograd.grad(loss, list(self.model.parameters()))
        implicit = self.hessian_vector_product(vector, train)
        for v, g, h in zip(self.model.arch_parameters(), dalpha, implicit):
            g = g - 0.01 * h
            if v.grad is None:
                v.grad = g.clone()
            else:
                v.grad.data.copy_(g.data)
        self.optimizer.step()

    def hessian_vector_product(self, vector, batch, r=1e-2):
        scale = r / torch.cat([v.flatten() for v in vector]).norm()
        sides = []
        for sign in (1, -2):
            for p, v in zip(self.model.parameters(), vector):
                p.data.add_(v, alpha=sign * scale.item())
            loss = F.cross_entropy(self.model(batch[0]), batch[1])
            sides.append(torch.autograd.grad(loss, self.model.arch_parameters()))
        for p, v in zip(self.model.parameters(), vector):
            p.data.add_(v, alpha=scale.item())
        return [(x - y).div_(2 * scale) for x, y in zip(*sides)]


torch.manual_seed(0)
model = Cell()
architect = Architect(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.025, momentum=0.9, weight_decay=3e-4)
for step in range(6):
    train = torch.randn(8, 6), torch.randint(0, 3, (8,))
    valid = torch.randn(8, 6), torch.randint(0, 3, (8,))
    architect.step(train, valid)
    optimizer.zero_grad()
    loss = F.cross_entropy(model(train[0]), train[1])
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
