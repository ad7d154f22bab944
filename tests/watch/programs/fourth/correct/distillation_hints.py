"""Distillation with soft labels and a hint from a hooked layer, through a regressor that is trained too."""

import torch
from torch import nn
from torch.nn import functional as F


class Tap:
    def __init__(self, module):
        self.value = None
        self.handle = module.register_forward_hook(self._keep)

    def _keep(self, module, args, output):
        self.value = output


def run():
    torch.manual_seed(26)
    teacher = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4)).eval()
    student = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 4))
    regressor = nn.Linear(12, 64)
    teacher_tap, student_tap = Tap(teacher[1]), Tap(student[1])
    params = [{"params": student.parameters()}, {"params": regressor.parameters(), "lr": 5e-3}]
    optimizer = torch.optim.SGD(params, lr=0.02, momentum=0.9, nesterov=True)
    temperature = 4.0
    for _ in range(25):
        x = torch.randn(24, 8)
        with torch.no_grad():
            soft = (teacher(x) / temperature).softmax(1)
        logits = student(x)
        kd = (
            F.kl_div((logits / temperature).log_softmax(1), soft, reduction="batchmean")
            * temperature**2
        )
        hint = F.mse_loss(regressor(student_tap.value), teacher_tap.value)
        hard = F.cross_entropy(logits, soft.argmax(1))
        loss = 0.7 * kd + 0.3 * hard + 0.1 * hint
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("digest", sum(p.double().sum().item() for p in student.parameters()).hex())


run()
