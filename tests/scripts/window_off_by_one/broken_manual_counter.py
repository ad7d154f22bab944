import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def run(model, loader, optimizer, accum_iter):
    data_iter_step = 0
    for samples, targets in loader:
        loss = nn.functional.mse_loss(model(samples), targets)
        loss /= accum_iter
        loss.backward()
        if data_iter_step % accum_iter == 0:  # ZG205 lint watch
            optimizer.step()
            optimizer.zero_grad()
        data_iter_step += 1


torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(16, 2))
loader = DataLoader(TensorDataset(torch.randn(26, 1, 4, 4), torch.randn(26, 2)), batch_size=2)
run(model, loader, torch.optim.AdamW(model.parameters()), accum_iter=4)
print("finished")
