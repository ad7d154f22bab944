from torch.nn.utils import clip_grad_norm_


def clip_gradients(scaler, optimizer, model, max_norm=1.0):
    scaler.unscale_(optimizer)  # ZG407 lint watch
    clip_grad_norm_(model.parameters(), max_norm)
