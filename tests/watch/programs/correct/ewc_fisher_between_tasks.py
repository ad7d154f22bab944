import torch
from torch import nn
torch.manual_seed(34)
net = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 2))
anchors = []
for task in range(3):
    x = torch.randn(48, 4) + task; y = (x[:, task] > task).long()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=12, shuffle=True)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(2):
        for xb, yb in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(xb), yb)
            for fisher, old in anchors:
                loss = loss + 10 * sum((f * (p - o).square()).sum() for f, o, p in zip(fisher, old, net.parameters()))
            loss.backward()
            opt.step()
    fisher = [torch.zeros_like(p) for p in net.parameters()]
    net.eval()
    for xi, yi in zip(x[:16], y[:16]):
        net.zero_grad()
        nn.functional.nll_loss(net(xi[None]).log_softmax(1), yi[None]).backward()
        for f, p in zip(fisher, net.parameters()):
            f += p.grad.data.pow(2) / 16
    net.train()
    anchors.append((fisher, [p.detach().clone() for p in net.parameters()]))
