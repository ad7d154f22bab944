import torch
from torch import nn


def extend_vocabulary(model, extra):
    old = model.embed.weight.data
    model.embed = nn.Embedding(len(old) + extra, old.shape[1])
    with torch.no_grad():
        model.embed.weight[: len(old)] = old
