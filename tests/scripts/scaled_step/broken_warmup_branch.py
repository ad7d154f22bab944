import torch
from torch import nn


class Fitter:
    def __init__(self, model: nn.Module, warmup: int = 3) -> None:
        self.model = model
        self.warmup = warmup
        self.optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=64.0)

    def fit(self, steps: int) -> float:
        for step in range(steps):
            x = torch.randn(6, 4)
            loss = nn.functional.mse_loss(self.model(x), x)
            self.optimizer.zero_grad()
            self.scaler.scale(loss).backward()
            if step < self.warmup:
                self.optimizer.step()  # ZG406 lint watch
            else:
                self.scaler.step(self.optimizer)
                self.scaler.update()
        return loss.item()


torch.manual_seed(0)
print(Fitter(nn.Linear(4, 4)).fit(8))
