import torch
from torch import nn


class Switching(nn.Module):
    def __init__(self):
        super().__init__()
        self.common = nn.Linear(3, 6)
        self.rare = nn.Linear(6, 6)
        self.out = nn.Linear(6, 1)

    def forward(self, x, use_rare):
        h = self.common(x).relu()
        if use_rare:
            h = h + self.rare(h)
        return self.out(h)


def main():
    torch.manual_seed(0)
    net = Switching()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for i in range(9):
        x = torch.randn(5, 3)
        opt.zero_grad()
        loss = net(x, use_rare=i % 4 == 3).square().mean()
        loss.backward()
        opt.step()
    print(loss.item())


main()
