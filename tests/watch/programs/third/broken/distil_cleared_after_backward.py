import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
teacher = nn.Linear(6, 3).requires_grad_(False)
student = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.AdamW(student.parameters(), 1e-3)
loader = DataLoader(TensorDataset(torch.randn(40, 6)), batch_size=8)
for epoch in range(3):
    for (x,) in loader:
        loss = F.kl_div(F.log_softmax(student(x), 1), F.softmax(teacher(x), 1), reduction="batchmean")
        loss.backward()
        opt.zero_grad()  # ZG102 watch
        opt.step()
