"""DINO: the last layer's gradients are cancelled in the first epoch, weight decay and teacher momentum on schedules."""

import copy

import torch
from torch import nn
from torch.nn import functional as F


class Head(nn.Module):
    def __init__(self, d, out):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(d, 16), nn.GELU(), nn.Linear(16, 8))
        self.last_layer = nn.Linear(8, out, bias=False)

    def forward(self, x):
        return self.last_layer(F.normalize(self.mlp(x), dim=-1))


def cancel_last_layer(epoch, model, frozen_epochs):
    if epoch >= frozen_epochs:
        return
    for name, p in model.named_parameters():
        if "last_layer" in name:
            p.grad = None


torch.manual_seed(25)
student = nn.Sequential(nn.Linear(12, 12), Head(12, 20))
teacher = copy.deepcopy(student).requires_grad_(False)
decayed = [p for p in student.parameters() if p.ndim > 1]
rest = [p for p in student.parameters() if p.ndim <= 1]
optimizer = torch.optim.AdamW([{"params": decayed}, {"params": rest, "weight_decay": 0.0}], lr=2e-3)
center, epochs, per_epoch = torch.zeros(20), 3, 8
wd = torch.linspace(0.04, 0.4, epochs * per_epoch).tolist()
for epoch in range(epochs):
    for it in range(per_epoch):
        optimizer.param_groups[0]["weight_decay"] = wd[epoch * per_epoch + it]
        x = torch.randn(16, 12)
        crops = [x + 0.2 * torch.randn_like(x) for _ in range(4)]
        with torch.no_grad():
            targets = [((teacher(c) - center) / 0.04).softmax(-1) for c in crops[:2]]
        outputs = [(student(c) / 0.1).log_softmax(-1) for c in crops]
        terms = [
            -(t * s).sum(-1).mean()
            for i, t in enumerate(targets)
            for j, s in enumerate(outputs)
            if i != j
        ]
        loss = sum(terms) / len(terms)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(student.parameters(), 3.0)
        cancel_last_layer(epoch, student, frozen_epochs=1)
        optimizer.step()
        with torch.no_grad():
            center = 0.9 * center + 0.1 * torch.cat([teacher(c) for c in crops[:2]]).mean(0)
            for s, t in zip(student.parameters(), teacher.parameters()):
                t.mul_(0.98).add_(s, alpha=0.02)
print("digest", sum(p.double().sum().item() for p in student.parameters()).hex())
