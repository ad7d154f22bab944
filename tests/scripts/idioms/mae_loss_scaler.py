"""MAE and timm style: a loss-scaler object does backward, unscale, clip, step and update by a flag."""
import torch
from torch import nn


class NativeScalerWithGradNormCount:
    state_dict_key = "amp_scaler"

    def __init__(self):
        self._scaler = torch.amp.GradScaler("cpu", init_scale=2.0**8)

    def __call__(self, loss, optimizer, clip_grad=None, parameters=None, create_graph=False, update_grad=True):
        self._scaler.scale(loss).backward(create_graph=create_graph)
        if update_grad:
            if clip_grad is not None:
                self._scaler.unscale_(optimizer)
                norm = torch.nn.utils.clip_grad_norm_(parameters, clip_grad)
            else:
                self._scaler.unscale_(optimizer)
                norm = torch.stack([p.grad.norm() for p in parameters if p.grad is not None]).norm()
            self._scaler.step(optimizer)
            self._scaler.update()
        else:
            norm = None
        return norm


def train_one_epoch(model, data_loader, optimizer, loss_scaler, accum_iter):
    model.train(True)
    optimizer.zero_grad()
    for data_iter_step, samples in enumerate(data_loader):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = (model(samples) - samples).pow(2).mean()
        loss_value = loss.item()
        loss /= accum_iter
        loss_scaler(
            loss,
            optimizer,
            clip_grad=1.0,
            parameters=list(model.parameters()),
            update_grad=(data_iter_step + 1) % accum_iter == 0,
        )
        if (data_iter_step + 1) % accum_iter == 0:
            optimizer.zero_grad()
    return loss_value


torch.manual_seed(0)
autoencoder = nn.Sequential(nn.Linear(12, 4), nn.GELU(), nn.Linear(4, 12))
adamw = torch.optim.AdamW(autoencoder.parameters(), lr=1e-3, betas=(0.9, 0.95))
batches = [torch.randn(4, 12) for _ in range(12)]
scaler = NativeScalerWithGradNormCount()
for epoch in range(2):
    train_one_epoch(autoencoder, batches, adamw, scaler, accum_iter=3)
