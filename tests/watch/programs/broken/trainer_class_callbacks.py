import torch
from torch import nn
torch.manual_seed(57)
class Trainer:
    def __init__(self, model, optimizer, every=4):
        self.model, self.optimizer, self.every, self.seen = model, optimizer, every, 0
        self.hooks = []
    def on_step(self, f):
        self.hooks.append(f)
        return f
    def train_one(self, batch):
        x, y = batch
        loss = nn.functional.mse_loss(self.model(x), y)
        (loss / self.every).backward()
        if self.seen % self.every == 0:  # ZG205 watch
            self.optimizer.step()
            self.optimizer.zero_grad()
            for f in self.hooks:
                f(self)
        self.seen += 1
        return loss.item()
trainer = Trainer(m := nn.Linear(3, 1), torch.optim.Adagrad(m.parameters(), 0.1))
@trainer.on_step
def log(t):
    t.lr = t.optimizer.param_groups[0]["lr"]
for _ in range(20):
    trainer.train_one((torch.randn(4, 3), torch.randn(4, 1)))
