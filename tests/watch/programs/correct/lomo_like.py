import torch
from torch import nn
torch.manual_seed(63)
class LowMemory(torch.optim.Optimizer):
    def __init__(self, model, lr):
        self.model, self.lr = model, lr
        super().__init__(model.parameters(), {"lr": lr})
        for p in model.parameters():
            p.register_hook(self.fuse)
    def fuse(self, gradient):
        with torch.no_grad():
            for p in self.model.parameters():
                if p.requires_grad and p.grad is not None:
                    p.data.add_(p.grad, alpha=-self.lr)
                    p.grad = None
        return gradient
    def fused_backward(self, loss):
        loss.backward()
        self.fuse(torch.tensor(0))
    def step(self, closure=None):
        raise NotImplementedError("use fused_backward")
model = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 1))
optimizer = LowMemory(model, lr=1e-2)
for step in range(12):
    x = torch.randn(16, 6)
    optimizer.fused_backward(((model(x) - x.sum(1, keepdim=True)) ** 2).mean())
