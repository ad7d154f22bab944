import copy
import torch
from torch import nn
torch.manual_seed(47)
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), 0.1)  # ZG306 watch
best, best_state, patience = float("inf"), None, 0
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1)
for epoch in range(12):
    model.train()
    for _ in range(4):
        x = torch.randn(8, 5)
        opt.zero_grad()
        (model(x) - x.sum(1, True)).square().mean().backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        v = torch.randn(8, 5)
        val = (model(v) - v.sum(1, True)).square().mean().item()
    plateau.step(val)
    if val < best:
        best, best_state, patience = val, copy.deepcopy(model.state_dict()), 0
    if epoch % 5 == 4:
        model = nn.Linear(5, 1)
        model.load_state_dict(best_state)
