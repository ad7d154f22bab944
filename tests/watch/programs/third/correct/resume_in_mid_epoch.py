import io

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,)))
ACC = 2


def build():
    torch.manual_seed(97)
    model = nn.Linear(6, 3)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    return model, opt, torch.optim.lr_scheduler.CosineAnnealingLR(opt, 30)


def train(model, opt, sched, start, stop):
    step = 0
    for epoch in range(3):
        for i, (x, y) in enumerate(DataLoader(data, batch_size=4)):
            step += 1
            if step <= start:
                continue
            (F.cross_entropy(model(x), y) / ACC).backward()
            if step % ACC == 0:
                opt.step()
                opt.zero_grad()
                sched.step()
            if step == stop:
                return


model, opt, sched = build()
train(model, opt, sched, 0, 14)
file = io.BytesIO()
torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict()}, file)
file.seek(0)
model, opt, sched = build()
state = torch.load(file)
model.load_state_dict(state["model"])
opt.load_state_dict(state["opt"])
sched.load_state_dict(state["sched"])
train(model, opt, sched, 14, 30)
