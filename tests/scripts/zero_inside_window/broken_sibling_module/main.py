import torch
from torch import nn

from config import CONFIG
from loop import run_epoch

torch.manual_seed(CONFIG["seed"])
model = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(48, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=CONFIG["lr"])
batches = [(torch.randn(2, 1, 4, 4), torch.randint(0, 2, (2,))) for _ in range(12)]
run_epoch(model, optimizer, batches, CONFIG["accumulate"])
print("ok")
