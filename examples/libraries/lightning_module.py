"""Lightning's Trainer runs the loop: `training_step` returns a loss and clears nothing."""

from __future__ import annotations

import logging
import warnings

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")


class Regression(lightning.LightningModule):  # type: ignore[misc]  # mypy does not read Lightning
    """A linear model that Lightning trains."""

    def __init__(self) -> None:
        super().__init__()
        self.model = nn.Linear(3, 1)

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Return the loss; backward, step and clear are Lightning's."""
        inputs, targets = batch
        return nn.functional.mse_loss(self.model(inputs), targets)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return what Lightning steps."""
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    lightning.seed_everything(0, verbose=False)
    inputs = torch.randn(64, 3)
    targets = inputs.sum(dim=1, keepdim=True)
    trained = Regression()
    trainer = lightning.Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=2,
        accumulate_grad_batches=4,
        gradient_clip_val=1.0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(trained, DataLoader(TensorDataset(inputs, targets), batch_size=4))
    with torch.no_grad():
        print(f"loss {nn.functional.mse_loss(trained.model(inputs), targets).item():.4f}")
