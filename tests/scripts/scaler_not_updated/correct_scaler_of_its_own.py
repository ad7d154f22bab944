"""A scaler with a ceiling, under a name of its own, scales the gradient that the backward starts from."""
import torch
from torch import nn
from torch.amp import GradScaler
from torch.nn.utils import clip_grad_norm_


class CappedScaler(GradScaler):
    def __init__(self, most):
        super().__init__("cpu", init_scale=16.0)
        self.most = most

    def scale(self, outputs):
        if self.get_scale() > self.most:
            self.set_growth_factor(1.0)
        return super().scale(outputs)


def train(steps):
    backbone = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(backbone.parameters(), lr=0.1)
    amp = CappedScaler(128.0)
    for _ in range(steps):
        features = backbone(torch.randn(8, 4))
        wanted = features.detach() - 1
        features.backward(amp.scale(wanted / wanted.numel()))
        amp.unscale_(optimizer)
        clip_grad_norm_(backbone.parameters(), 5.0)
        amp.step(optimizer)
        amp.update()
        optimizer.zero_grad()
    return features.mean().item()


torch.manual_seed(0)
print(train(6))
