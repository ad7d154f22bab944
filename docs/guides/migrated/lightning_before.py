"""A LightningModule with manual optimization, which accumulates and clips by hand."""

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regression(lightning.LightningModule):
    """A model that clears and steps itself."""

    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.layers = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))

    def training_step(self, batch: list[torch.Tensor], index: int) -> None:
        inputs, targets = batch
        optimizer = self.optimizers()
        loss = nn.functional.mse_loss(self.layers(inputs), targets)
        self.manual_backward(loss / 4)
        if (index + 1) % 4 == 0:
            self.clip_gradients(optimizer, gradient_clip_val=0.1, gradient_clip_algorithm="norm")
            optimizer.step()
            optimizer.zero_grad()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=1e-2)


def train() -> nn.Module:
    torch.manual_seed(0)
    module = Regression()
    inputs = torch.randn(64, 3)
    loader = DataLoader(TensorDataset(inputs, inputs.sum(1, keepdim=True)), batch_size=4)
    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(module, loader)
    return module
