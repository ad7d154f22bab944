import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 3)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, patience=1)

    def epoch(self, batches, accumulate):
        total = 0.0
        for i, (x, y) in enumerate(batches):
            loss = nn.functional.cross_entropy(self.model(x), y)
            (loss / accumulate).backward()
            total += loss.item()
            if (i + 1) % accumulate == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
        self.scheduler.step(total)
        return total


torch.manual_seed(0)
batches = [(torch.randn(6, 4), torch.randint(0, 3, (6,))) for _ in range(4)]
trainer = Trainer()
for _ in range(4):
    trainer.epoch(batches, accumulate=4)
print(trainer.optimizer.param_groups[0]["lr"])
