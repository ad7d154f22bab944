import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

torch.manual_seed(8)


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def run(model, optimizer, scheduler, x, y, epochs):
    best = 0.0
    for _ in range(epochs):
        model.train()
        for xb, yb in zip(x.split(8), y.split(8)):
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward()  # ZG101 lint watch
            optimizer.step()
        scheduler.step()
        accuracy = evaluate(model, x, y)
        if accuracy > best:
            best = accuracy
            optimizer.zero_grad()
    return best


layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True)
net = nn.Sequential(layer, nn.Flatten(), nn.Linear(24, 2))
sgd = torch.optim.SGD(net.parameters(), lr=1e-3)
print(run(net, sgd, StepLR(sgd, 2), torch.randn(32, 3, 8), torch.randint(0, 2, (32,)), 3) >= 0)
