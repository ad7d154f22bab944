import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--gradient-accumulation-steps", type=int, default=3)
args = parser.parse_args()

torch.manual_seed(0)
encoder = nn.TransformerEncoderLayer(d_model=4, nhead=2, dim_feedforward=8, batch_first=True)
model = nn.Sequential(encoder, nn.Flatten(), nn.Linear(12, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
train_dataloader = DataLoader(TensorDataset(torch.randn(24, 3, 4), torch.randn(24, 1)), batch_size=2)

micro_steps = 0
for epoch in range(2):
    for batch in train_dataloader:
        inputs, targets = batch
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()  # ZG201 lint watch
        micro_steps += 1
        if micro_steps % args.gradient_accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
print(micro_steps)
