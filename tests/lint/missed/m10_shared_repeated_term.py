# expected: shared-parameter at the construction (open-universe issue 5)
import torch
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.loss_mrd = torch.nn.Linear(1, 1)
        self.loss_mpd = torch.nn.Linear(1, 1)
    def configure_optimizers(self):
        params_disc = list(self.loss_mrd.parameters()) + list(self.loss_mrd.parameters())
        return torch.optim.Adam(params_disc)
