import torch
import torch.nn as nn
import torch.optim as optim


def train_pair(encoder, decoder, pairs, criterion, learning_rate=0.01):
    encoder_optimizer = optim.SGD(encoder.parameters(), lr=learning_rate)  # ZG304 lint watch
    losses = []
    for source, target in pairs:
        encoder.zero_grad()
        decoder.zero_grad()
        _, hidden = encoder(source)
        output, _ = decoder(target[:, :-1], hidden)
        loss = criterion(output, target[:, 1:])
        loss.backward()
        encoder_optimizer.step()
        losses.append(loss.item())
    return losses


torch.manual_seed(0)
encoder = nn.GRU(3, 5, batch_first=True)
decoder = nn.GRU(5, 5, batch_first=True)
pairs = [(torch.randn(2, 4, 3), torch.randn(2, 4, 5)) for _ in range(6)]
print(train_pair(encoder, decoder, pairs, nn.MSELoss())[-1])
