"""Forward-forward: every layer has a local loss and its own optimizer; nothing flows between layers."""
import torch
from torch import nn


class Layer(nn.Linear):
    def __init__(self, in_features, out_features):
        super().__init__(in_features, out_features)
        self.opt = torch.optim.Adam(self.parameters(), lr=0.03)
        self.threshold, self.num_epochs = 2.0, 4

    def forward(self, x):
        direction = x / (x.norm(2, 1, keepdim=True) + 1e-4)
        return torch.relu(direction @ self.weight.T + self.bias)

    def train_layer(self, x_pos, x_neg):
        for _ in range(self.num_epochs):
            g_pos = self.forward(x_pos).pow(2).mean(1)
            g_neg = self.forward(x_neg).pow(2).mean(1)
            loss = torch.log(1 + torch.exp(torch.cat([-g_pos + self.threshold, g_neg - self.threshold]))).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return self.forward(x_pos).detach(), self.forward(x_neg).detach()


torch.manual_seed(1234)
layers = [Layer(10, 16), Layer(16, 16)]
h_pos, h_neg = torch.randn(20, 10) + 1, torch.randn(20, 10) - 1
for layer in layers:
    h_pos, h_neg = layer.train_layer(h_pos, h_neg)
