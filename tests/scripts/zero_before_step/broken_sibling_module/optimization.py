from torch import nn
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR


def build(model, lr):
    optimizer = AdamW(model.parameters(), lr=lr)
    return optimizer, LambdaLR(optimizer, lambda step: 0.9**step)


def update(model: nn.Module, optimizer) -> None:
    model.zero_grad()  # ZG102 lint watch
    optimizer.step()
