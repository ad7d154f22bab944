# expected: clip-before-backward at the clip (nano-world-model PR 22)
import torch
import pytorch_lightning as pl
class M(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        loss = self.model(batch).mean()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        return loss
    def configure_optimizers(self):
        return torch.optim.Adam(self.model.parameters())
