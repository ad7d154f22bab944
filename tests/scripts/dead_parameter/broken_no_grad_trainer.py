import torch
from torch import nn


class ContrastiveTrainer:
    def __init__(self, image_tower: nn.Module, text_tower: nn.Module, lr: float = 1e-2) -> None:
        self.image_tower = image_tower
        self.text_tower = text_tower
        self.optimizer = torch.optim.AdamW(  # ZG305 lint watch
            [*image_tower.parameters(), *text_tower.parameters()],
            lr=lr,
        )

    def loss(self, images: torch.Tensor, captions: torch.Tensor) -> torch.Tensor:
        left = nn.functional.normalize(self.image_tower(images), dim=-1)
        with torch.no_grad():
            right = nn.functional.normalize(self.text_tower(captions).mean(1), dim=-1)
        return nn.functional.cross_entropy(left @ right.T * 10, torch.arange(len(images)))

    def fit(self, steps: int) -> float:
        for _ in range(steps):
            images, captions = torch.randn(6, 8), torch.randint(0, 20, (6, 5))
            self.optimizer.zero_grad()
            loss = self.loss(images, captions)
            loss.backward()
            self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
print(ContrastiveTrainer(nn.Linear(8, 4), nn.Embedding(20, 4)).fit(6))
