import torch


def build_optimizer(model, lr):
    return torch.optim.Adagrad(model.parameters(), lr=lr)  # ZG303 lint watch
