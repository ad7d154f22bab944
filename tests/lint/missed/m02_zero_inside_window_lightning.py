# expected: zero-inside-window at g_opt.zero_grad() (PreDiff); today: unnormalised-window, which is false: one deposit lies there
import pytorch_lightning as pl
import torch
class M(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = torch.nn.Linear(1, 1)
        self.disc = torch.nn.Linear(1, 1)
        self.accumulate_grad_batches = 4
    def training_step(self, batch, batch_idx):
        g_opt, d_opt = self.optimizers()
        aeloss = self.net(batch).mean()
        g_opt.zero_grad()
        self.manual_backward(aeloss)
        if (batch_idx + 1) % self.accumulate_grad_batches == 0:
            g_opt.step()
        dloss = self.disc(batch).mean()
        d_opt.zero_grad()
        self.manual_backward(dloss)
        if (batch_idx + 1) % self.accumulate_grad_batches == 0:
            d_opt.step()
    def configure_optimizers(self):
        return [torch.optim.Adam(self.net.parameters()), torch.optim.Adam(self.disc.parameters())], []
