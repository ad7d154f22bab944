import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, loader, accum=4):
        self.model = model
        self.loader = loader
        self.accum = accum
        self.optimizer = torch.optim.AdamW(model.parameters())

    def run(self):
        epoch_loss = 0.0
        for step, (x, y) in enumerate(self.loader):
            loss = nn.functional.cross_entropy(self.model(x), y) / len(self.loader)
            loss.backward()  # ZG204 lint watch
            epoch_loss += loss.item()
            if (step + 1) % self.accum == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
        return epoch_loss


torch.manual_seed(0)
data = TensorDataset(torch.randn(48, 5), torch.randint(0, 3, (48,)))
print(round(Trainer(nn.Linear(5, 3), DataLoader(data, batch_size=4)).run(), 3))
