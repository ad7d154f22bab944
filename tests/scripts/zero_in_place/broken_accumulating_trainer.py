import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


class Trainer:
    def __init__(self, model: nn.Module, accumulate: int = 4, max_norm: float = 1.0):
        self.model, self.accumulate, self.max_norm = model, accumulate, max_norm
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
        self.scheduler = torch.optim.lr_scheduler.LinearLR(self.optimizer, total_iters=10)

    def update(self) -> None:
        clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.optimizer.step()
        self.scheduler.step()
        self.optimizer.zero_grad(set_to_none=False)  # ZG701 lint

    def fit(self, batches) -> None:
        for index, (tokens, target) in enumerate(batches, start=1):
            loss = nn.functional.cross_entropy(self.model(tokens), target)
            (loss / self.accumulate).backward()
            if index % self.accumulate == 0:
                self.update()


torch.manual_seed(0)
data = [(torch.randint(0, 30, (4, 6)), torch.randint(0, 5, (4,))) for _ in range(16)]
Trainer(nn.Sequential(nn.EmbeddingBag(30, 8), nn.Linear(8, 5))).fit(data)
