import torch

scaler = torch.amp.GradScaler("cpu")


def scaled_backward(loss):
    scaler.scale(loss).backward()
