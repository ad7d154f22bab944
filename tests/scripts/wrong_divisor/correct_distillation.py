import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

T, alpha, accum = 4.0, 0.5, 2
torch.manual_seed(0)
teacher, student = nn.Linear(6, 3).eval(), nn.Linear(6, 3)
optimizer = torch.optim.SGD(student.parameters(), lr=0.05)
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=4)


def distillation_loss(student_logits, teacher_logits, labels):
    soft = F.kl_div(
        F.log_softmax(student_logits / T, dim=1),
        F.softmax(teacher_logits / T, dim=1),
        reduction="batchmean",
    )
    return alpha * T * T * soft + (1 - alpha) * F.cross_entropy(student_logits, labels)


for i, (x, y) in enumerate(loader):
    with torch.no_grad():
        guide = teacher(x)
    loss = distillation_loss(student(x), guide, y) / accum
    loss.backward()
    if (i + 1) % accum == 0:
        optimizer.step()
        optimizer.zero_grad()
print(round(loss.item(), 2))
