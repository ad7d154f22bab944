from torch.nn.utils import clip_grad_value_


def optimize(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def limit(module, value=0.5):
    clip_grad_value_(module.parameters(), value)  # ZG401 lint watch
