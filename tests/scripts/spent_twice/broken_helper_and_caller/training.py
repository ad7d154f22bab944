from torch.nn import functional as F


def train_batch(model, opt, batch):
    x, y = batch
    opt.zero_grad(set_to_none=True)
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
    return loss.item()
