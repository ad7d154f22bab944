from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_


def deposit(model, images, labels, parts):
    loss = cross_entropy(model(images), labels) / parts
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)  # ZG404 lint watch
