import torch


class Amp:
    def __init__(self, optimizer, window):
        self.optimizer = optimizer
        self.window = window
        self.scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)

    def backward(self, loss):
        self.scaler.scale(loss).backward()

    def maybe_step(self, index):
        if (index + 1) % self.window:
            return
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
