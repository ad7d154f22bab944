import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(32)
teacher = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 4)).eval()
student = nn.Linear(6, 4)
opt = torch.optim.SGD(student.parameters(), lr=0.05, nesterov=True, momentum=0.9)
T = 4.0
for x in torch.randn(20, 12, 6):
    y = torch.randint(0, 4, (12,))
    with torch.inference_mode():
        soft = (teacher(x) / T).softmax(1)
    out = student(x)
    loss = 0.3 * F.cross_entropy(out, y) + 0.7 * T * T * F.kl_div((out / T).log_softmax(1), soft.clone(), reduction="batchmean")
    loss.backward()
    opt.zero_grad()  # ZG102 watch
    opt.step()
