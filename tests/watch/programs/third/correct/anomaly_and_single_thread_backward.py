import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(111)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), 0.1)
with torch.autograd.set_detect_anomaly(True), torch.autograd.set_multithreading_enabled(False):
    for step in range(6):
        x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
with torch.autograd.graph.save_on_cpu():
    for step in range(6):
        x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
