# expected: scaled-step at optimizer.step() (at most a warning: the optimizer is known by name and use only)
import torch
from model import model, optimizer
scaler = torch.cuda.amp.GradScaler()
for sample in data:
    loss = model(sample).mean()
    scaler.scale(loss).backward()
    optimizer.step()
    optimizer.zero_grad()
