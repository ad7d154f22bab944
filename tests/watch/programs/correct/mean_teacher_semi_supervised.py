import torch
from torch import nn
torch.manual_seed(24)
def make():
    return nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))
student, teacher = make(), make()
teacher.load_state_dict(student.state_dict())
for p in teacher.parameters():
    p.detach_()
opt = torch.optim.SGD(student.parameters(), lr=0.05, nesterov=True, momentum=0.9)
labelled = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(20, 5), torch.randint(0, 3, (20,))), batch_size=5, shuffle=True)
unlabelled = torch.utils.data.DataLoader(torch.randn(80, 5), batch_size=10, shuffle=True)
global_step = 0
for epoch in range(4):
    student.train(); teacher.train()
    stream = iter(labelled)
    for u in unlabelled:
        try:
            x, y = next(stream)
        except StopIteration:
            stream = iter(labelled)
            x, y = next(stream)
        with torch.no_grad():
            target = teacher(u + 0.1 * torch.randn_like(u)).softmax(1)
        out = student(torch.cat([x, u]))
        ce = nn.functional.cross_entropy(out[:len(x)], y)
        consistency = nn.functional.mse_loss(out[len(x):].softmax(1), target)
        loss = ce + min(1.0, epoch / 2) * consistency
        opt.zero_grad()
        loss.backward()
        opt.step()
        global_step += 1
        alpha = min(1 - 1 / (global_step + 1), 0.99)
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.data.mul_(alpha).add_(s.data, alpha=1 - alpha)
