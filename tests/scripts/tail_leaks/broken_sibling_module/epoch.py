import torch.nn.functional as F

ACCUMULATE = 4


def run(forward, batches, optimizer):
    for index, (x, y) in enumerate(batches):
        loss = F.cross_entropy(forward(x), y)
        loss = loss / ACCUMULATE
        loss.backward()
        boundary = (index + 1) % ACCUMULATE == 0
        if boundary:
            optimizer.step()  # ZG202 lint watch
            optimizer.zero_grad(set_to_none=True)
