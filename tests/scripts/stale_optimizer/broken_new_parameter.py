import torch
from torch import nn


class Pruner:
    def __init__(self, net, keep):
        self.net = net
        self.keep = keep
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)  # ZG306 lint watch

    def prune(self):
        for layer in self.net:
            if isinstance(layer, nn.Linear):
                threshold = layer.weight.abs().flatten().quantile(1 - self.keep)
                mask = (layer.weight.abs() >= threshold).float()
                layer.weight = nn.Parameter(layer.weight.detach() * mask)

    def train(self, steps):
        for _ in range(steps):
            x = torch.randn(10, 4)
            self.opt.zero_grad()
            loss = nn.functional.mse_loss(self.net(x), x[:, :2])
            loss.backward()
            self.opt.step()
        return loss.item()


torch.manual_seed(0)
pruner = Pruner(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), keep=0.5)
print(pruner.train(4))
pruner.prune()
print(pruner.train(6))
