import torch
from torch import nn


class Experiment:
    def __init__(self, model: nn.Module, lr: float = 1e-2) -> None:
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)  # ZG303 lint watch
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=10)

    def run_batch(self, x: torch.Tensor, y: torch.Tensor) -> float:
        self.optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(self.model(x), y)
        loss.backward()
        self.scheduler.step()
        return loss.item()

    def run(self, steps: int) -> list[float]:
        return [
            self.run_batch(torch.randn(8, 5), torch.randint(0, 2, (8, 1)).float())
            for _ in range(steps)
        ]


if __name__ == "__main__":
    torch.manual_seed(0)
    print(Experiment(nn.Linear(5, 1)).run(10)[-1])
