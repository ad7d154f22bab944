import torch
from torch import nn


class Autoencoder:
    def __init__(self):
        self.encoder, self.decoder = nn.Linear(6, 2), nn.Linear(2, 6)
        self.encoder_opt = torch.optim.SGD(self.encoder.parameters(), lr=0.01)
        self.decoder_opt = torch.optim.SGD(self.decoder.parameters(), lr=0.01)
        self.scaler = torch.amp.GradScaler("cpu")

    def step(self, x):
        self.encoder_opt.zero_grad()
        self.decoder_opt.zero_grad()
        loss = nn.functional.mse_loss(self.decoder(self.encoder(x)), x)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.encoder_opt)
        nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
        self.scaler.unscale_(self.encoder_opt)  # ZG407 lint watch
        self.scaler.step(self.encoder_opt)
        self.scaler.step(self.decoder_opt)
        self.scaler.update()
        return loss.item()


torch.manual_seed(0)
autoencoder = Autoencoder()
for _ in range(3):
    print(autoencoder.step(torch.randn(4, 6)))
