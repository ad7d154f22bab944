import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import lr_scheduler as s
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(66)
loader = DataLoader(TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,))), batch_size=8)
EPOCHS = 3
N = EPOCHS * len(loader)


def train(make, when):
    model = nn.Linear(6, 3)
    opt = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    sched = make(opt)
    for epoch in range(EPOCHS):
        total = 0.0
        for i, (x, y) in enumerate(loader):
            opt.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
            total += loss.item()
            if when == "batch":
                sched.step()
            elif when == "fraction":
                sched.step(epoch + i / len(loader))
        if when == "epoch":
            sched.step()
        elif when == "metric":
            sched.step(total)


train(lambda o: s.OneCycleLR(o, 0.1, total_steps=N), "batch")
train(lambda o: s.CosineAnnealingWarmRestarts(o, 2), "fraction")
train(lambda o: s.ReduceLROnPlateau(o, patience=0), "metric")
train(lambda o: s.SequentialLR(o, [s.LinearLR(o, 0.1, total_iters=3), s.CosineAnnealingLR(o, N - 3)], [3]), "batch")
train(lambda o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)]), "epoch")
train(lambda o: s.CyclicLR(o, 0.01, 0.1, step_size_up=4), "batch")
train(lambda o: s.PolynomialLR(o, N, 2.0), "batch")
train(lambda o: s.LambdaLR(o, lambda e: 0.5**e), "epoch")
