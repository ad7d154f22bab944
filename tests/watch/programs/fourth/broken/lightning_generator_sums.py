"""A GAN in Lightning with manual optimisation and toggled optimizers."""

import logging
import warnings

import lightning as L
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class GAN(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 1))

    def adversarial(self, logits, real):
        return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, float(real)))

    def training_step(self, real, _):
        g, d = self.optimizers()
        z = torch.randn(len(real), 4)
        self.toggle_optimizer(g)
        loss = self.adversarial(self.discriminator(self.generator(z)), True)
        self.manual_backward(loss)  # ZG101 watch
        g.step()
        self.untoggle_optimizer(g)

        self.toggle_optimizer(d)
        real_loss = self.adversarial(self.discriminator(real), True)
        fake_loss = self.adversarial(self.discriminator(self.generator(z).detach()), False)
        self.manual_backward((real_loss + fake_loss) / 2)
        d.step()
        d.zero_grad()
        self.untoggle_optimizer(d)

    def configure_optimizers(self):
        return (
            torch.optim.Adam(self.generator.parameters(), 1e-3),
            torch.optim.Adam(self.discriminator.parameters(), 1e-3),
        )


torch.manual_seed(79)
module = GAN()
trainer = L.Trainer(
    max_epochs=2,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(module, DataLoader(torch.randn(64, 2), 16))
print("digest", sum(p.double().sum().item() for p in module.parameters()).hex())
