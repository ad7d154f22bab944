import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        self.scaler = torch.amp.GradScaler("cpu")
        self.skipped = 0

    def skip(self):
        self.skipped += 1
        self.scaler.update()

    def train(self, batches):
        for x, y in batches:
            self.optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.model(x), y)
            self.scaler.scale(loss).backward()
            self.scaler.unscale_(self.optimizer)
            norm = clip_grad_norm_(self.model.parameters(), 1.0)
            if not torch.isfinite(norm):
                self.skip()
                continue
            self.scaler.step(self.optimizer)
            self.scaler.update()


torch.manual_seed(0)
trainer = Trainer(nn.Linear(3, 1))
trainer.train([(torch.randn(5, 3), torch.randn(5, 1) / (0 if i == 3 else 1)) for i in range(8)])
print(trainer.skipped)
