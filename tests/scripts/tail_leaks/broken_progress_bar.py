import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def tqdm(iterable, **kwargs):
    yield from iterable


torch.manual_seed(0)
train_dl = DataLoader(TensorDataset(torch.randn(26, 6), torch.randint(0, 2, (26,))), batch_size=2)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Dropout(0.1), nn.Linear(12, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
iters_to_accumulate = 5

for epoch in tqdm(range(3), desc="epochs"):
    for i, (x, y) in enumerate(tqdm(train_dl, leave=False)):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x), y) / iters_to_accumulate
        scaler.scale(loss).backward()
        if (i + 1) % iters_to_accumulate == 0:
            scaler.step(optimizer)  # ZG202 lint watch
            scaler.update()
            optimizer.zero_grad()
print(round(loss.item() * iters_to_accumulate, 2))
