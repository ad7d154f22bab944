import torch
from torch import nn


def build():
    autoencoder = nn.Sequential(nn.Linear(8, 3), nn.Tanh(), nn.Linear(3, 8))
    critic = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    ae_opt = torch.optim.SGD(autoencoder.parameters(), lr=0.02)
    critic_opt = torch.optim.SGD(critic.parameters(), lr=0.02)
    return autoencoder, critic, ae_opt, critic_opt


def generator_step(autoencoder, critic, ae_opt, x):
    ae_opt.zero_grad()
    rebuilt = autoencoder(x)
    loss = nn.functional.mse_loss(rebuilt, x) - 0.1 * critic(rebuilt).mean()
    loss.backward()
    ae_opt.step()
    return rebuilt


def critic_step(critic, critic_opt, x, rebuilt):
    loss = critic(rebuilt.detach()).mean() - critic(x).mean()
    loss.backward()
    critic_opt.step()  # ZG104 lint watch
    critic_opt.zero_grad()
    return loss.item()


def main():
    torch.manual_seed(4)
    autoencoder, critic, ae_opt, critic_opt = build()
    for _ in range(6):
        x = torch.randn(12, 8)
        rebuilt = generator_step(autoencoder, critic, ae_opt, x)
        value = critic_step(critic, critic_opt, x, rebuilt)
    print(round(value, 3))


if __name__ == "__main__":
    main()
