import torch
from torch import nn


class Loop:
    def __init__(self, log_every=2, clip=True):
        self.model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cpu")
        self.log_every, self.clip = log_every, clip

    def run(self, steps):
        for step in range(steps):
            x = torch.randn(6, 4)
            self.optimizer.zero_grad()
            loss = (self.model(x).squeeze(1) - x.amax(1)).abs().mean()
            self.scaler.scale(loss).backward()
            if self.clip:
                self.scaler.unscale_(self.optimizer)
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            elif step % self.log_every == 0:
                self.scaler.unscale_(self.optimizer)
                print(step, max(p.grad.abs().max().item() for p in self.model.parameters()))
            self.scaler.step(self.optimizer)
            self.scaler.update()
        return loss.item()


torch.manual_seed(0)
print(Loop().run(4), Loop(clip=False).run(4))
