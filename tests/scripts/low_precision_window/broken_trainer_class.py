import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class HalfTrainer:
    def __init__(self, model, dtype):
        self.model = model.to(dtype)
        self.dtype = dtype
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def window(self, micro_batches):
        self.optimizer.zero_grad()
        for x, y in micro_batches:
            loss = (self.model(x.to(self.dtype)) - y.to(self.dtype)).square().mean()
            (loss / len(micro_batches)).backward()  # ZG206 watch
        self.optimizer.step()


torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(128, 6), torch.randn(128, 1)), batch_size=2)
micro_batches = list(loader)
trainer = HalfTrainer(nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 1)), torch.bfloat16)
for start in range(0, 64, 16):
    trainer.window(micro_batches[start : start + 16])
print("four windows")
