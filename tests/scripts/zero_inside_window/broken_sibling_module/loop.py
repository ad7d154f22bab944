import torch.nn.functional as F


def compute_gradients(model, optimizer, batch, scale):
    x, y = batch
    optimizer.zero_grad()  # ZG103 lint watch
    loss = F.cross_entropy(model(x), y) * scale
    loss.backward()


def run_epoch(model, optimizer, batches, accumulate):
    for index, batch in enumerate(batches, start=1):
        compute_gradients(model, optimizer, batch, 1 / accumulate)
        if index % accumulate == 0:
            optimizer.step()
