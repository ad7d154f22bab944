import argparse

import torch
import torch.nn.functional as F
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--temperature", type=float, default=3.0)
parser.add_argument("--alpha", type=float, default=0.5)
args = parser.parse_args()

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4)).eval()
student = nn.Linear(10, 4)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1, weight_decay=1e-4)

for step in range(10):
    x, y = torch.randn(32, 10), torch.randint(0, 4, (32,))
    with torch.inference_mode():
        soft = F.softmax(teacher(x) / args.temperature, dim=1)
    logits = student(x)
    kd = F.kl_div(F.log_softmax(logits / args.temperature, dim=1), soft.clone(), reduction="batchmean")
    loss = args.alpha * kd * args.temperature**2 + (1 - args.alpha) * F.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history = loss.detach()
