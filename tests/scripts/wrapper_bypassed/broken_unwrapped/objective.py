from torch import nn
from torch.nn.parallel import DistributedDataParallel


def unwrap(model):
    return model.module if isinstance(model, DistributedDataParallel) else model


def elbo(model, x, beta=0.1):
    net = unwrap(model)
    reconstruction, mean, log_var = net(x)  # ZG503 lint watch
    kl = -0.5 * (1 + log_var - mean.square() - log_var.exp()).sum(1).mean()
    return nn.functional.mse_loss(reconstruction, x) + beta * kl
