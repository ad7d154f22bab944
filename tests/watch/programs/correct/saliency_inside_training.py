import torch
from torch import nn
torch.manual_seed(47)
net = nn.Sequential(nn.Conv1d(1, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3))
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(48, 1, 8), torch.randint(0, 3, (48,))), batch_size=12)
probe = torch.randn(4, 1, 8)
kept = {}
net[0].register_full_backward_hook(lambda m, gi, go: kept.__setitem__("g", go[0].detach()))
net[0].register_forward_hook(lambda m, i, o: kept.__setitem__("a", o.detach()))
for epoch in range(4):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    net.eval()
    scores = net(probe)
    net.zero_grad()
    scores.gather(1, scores.argmax(1, keepdim=True)).sum().backward()
    cam = (kept["g"].mean(2, keepdim=True) * kept["a"]).sum(1).relu()
    net.zero_grad()
    net.train()
