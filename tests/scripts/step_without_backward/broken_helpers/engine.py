import torch.nn.functional as F


def compute_loss(model, batch):
    images, labels = batch
    return F.cross_entropy(model(images), labels)


def apply_update(optimizer):
    optimizer.step()  # ZG301 lint watch
    optimizer.zero_grad()
