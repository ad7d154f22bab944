"""DARTS of second order by finite differences: weights and architecture have their own optimizers."""

import copy

import torch
from torch import nn
from torch.nn import functional as F


class Cell(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.ops = nn.ModuleList(
            [nn.Linear(d, d), nn.Sequential(nn.Linear(d, d), nn.ReLU()), nn.Identity()]
        )
        self.head = nn.Linear(d, 3)
        self.alphas = nn.Parameter(1e-3 * torch.randn(3))

    def weights(self):
        return [p for n, p in self.named_parameters() if n != "alphas"]

    def forward(self, x):
        mix = self.alphas.softmax(0)
        return self.head(sum(w * op(x) for w, op in zip(mix, self.ops)))

    def loss(self, x, y):
        return F.cross_entropy(self(x), y)


class Architect:
    def __init__(self, model, lr):
        self.model, self.lr = model, lr
        self.optimizer = torch.optim.Adam([model.alphas], lr=3e-3, betas=(0.5, 0.999))

    def step(self, train, valid):
        self.optimizer.zero_grad()
        unrolled = copy.deepcopy(self.model)
        grads = torch.autograd.grad(unrolled.loss(*train), unrolled.weights())
        with torch.no_grad():
            for p, g in zip(unrolled.weights(), grads):
                p.sub_(self.lr * g)
        unrolled.loss(*valid).backward()
        dalpha = unrolled.alphas.grad
        vector = [p.grad for p in unrolled.weights()]
        implicit = self.hessian_vector(vector, train)
        self.model.alphas.grad = dalpha - self.lr * implicit
        self.optimizer.step()

    def hessian_vector(self, vector, train, r=1e-2):
        eps = r / torch.cat([v.flatten() for v in vector]).norm()
        shift = lambda scale: [
            p.data.add_(v, alpha=(scale * eps).item()) for p, v in zip(self.model.weights(), vector)
        ]
        shift(1)
        (up,) = torch.autograd.grad(self.model.loss(*train), [self.model.alphas])
        shift(-2)
        (down,) = torch.autograd.grad(self.model.loss(*train), [self.model.alphas])
        shift(1)
        return (up - down) / (2 * eps)


def batch():
    x = torch.randn(16, 8)
    return x, x[:, :3].argmax(1)


torch.manual_seed(30)
model = Cell()
architect = Architect(model, 0.05)
optimizer = torch.optim.SGD(model.weights(), lr=0.05, momentum=0.9, weight_decay=3e-4)
for step in range(12):
    train, valid = batch(), batch()
    architect.step(train, valid)
    optimizer.zero_grad()
    model.loss(*train).backward()
    nn.utils.clip_grad_norm_(model.weights(), 5.0)
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
