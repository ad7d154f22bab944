import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(15)
model = nn.Linear(6, 3)
opt = torch.optim.Adam(model.parameters(), 1e-3)


class Logger:
    def on_batch_end(self, optimizer, loss):
        self.last = loss.item()
        optimizer.step()  # ZG302 watch


logger = Logger()
for step in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    logger.on_batch_end(opt, loss)
