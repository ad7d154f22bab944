import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(31)
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=8)
teacher = None
for generation in range(3):
    student = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2], gamma=0.1)
    for epoch in range(3):
        for x, y in loader:
            out = student(x)
            loss = F.cross_entropy(out, y)
            if teacher is not None:
                with torch.no_grad():
                    soft = teacher(x)
                loss = 0.5 * loss + 0.5 * F.kl_div(F.log_softmax(out / 2, 1), F.softmax(soft / 2, 1), reduction="batchmean") * 4
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
    teacher = student.eval()
