import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(67)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
decay = [p for n, p in model.named_parameters() if p.dim() >= 2]
plain = [p for n, p in model.named_parameters() if p.dim() < 2]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}], 1e-3)
loader = DataLoader(TensorDataset(torch.randn(66, 6), torch.randint(0, 3, (66,))), batch_size=8, drop_last=True)
ACC, EPOCHS = 4, 4
TOTAL = EPOCHS * len(loader) // ACC


def rate(step):
    if step < 2:
        return (step + 1) / 2
    return 1.0 if step < TOTAL - 3 else max(0.1, (TOTAL - step) / 3)


sched = torch.optim.lr_scheduler.LambdaLR(opt, rate)
for epoch in range(EPOCHS):
    for step, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y)
        loss = loss / ACC
        loss.backward()
        if (step + 1) % ACC == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad(set_to_none=True)
