import logging
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")


class LitClassifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Embedding(32, 12), nn.Linear(12, 32))

    def training_step(self, batch, batch_idx):
        tokens, labels = batch
        logits = self.net(tokens)[:, :-1].flatten(0, 1)
        loss = nn.functional.cross_entropy(logits, labels[:, 1:].flatten(), ignore_index=-100)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]


if __name__ == "__main__":
    L.seed_everything(0, verbose=False)
    tokens = torch.randint(0, 32, (64, 20))
    labels = tokens.clone()
    for number, row in enumerate(labels):
        row[(3 if number // 4 % 2 else 18) :] = -100
    loader = DataLoader(TensorDataset(tokens, labels), batch_size=4)
    trainer = L.Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=2,
        accumulate_grad_batches=4,
        gradient_clip_val=0.5,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(LitClassifier(), loader)  # ZG208 watch
