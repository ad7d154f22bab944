import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(46)
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, history_size=5, line_search_fn="strong_wolfe")
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
loader = DataLoader(TensorDataset(torch.randn(64, 2), torch.randn(64, 1)), batch_size=32)
for epoch in range(3):
    for x, y in loader:
        evaluations = 0

        def closure():
            global evaluations
            opt.zero_grad()
            loss = F.mse_loss(model(x), y) + 1e-3 * sum(p.abs().sum() for p in model.parameters())
            if loss.requires_grad:
                loss.backward()
            evaluations += 1
            return loss

        opt.step(closure)
    sched.step()
