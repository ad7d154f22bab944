import torch
from meters import AverageMeter
from torch import nn


def train(model, data, criterion, optimizer):
    losses = AverageMeter("Loss", ":.4e")
    model.train()
    for images, target in data:
        output = model(images)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss, images.size(0))  # ZG602 lint
    return losses.avg


def main():
    torch.manual_seed(0)
    data = [(torch.randn(4, 12), torch.randint(0, 3, (4,))) for _ in range(24)]
    model = nn.Sequential(nn.Linear(12, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    for epoch in range(2):
        print(epoch, round(float(train(model, data, nn.CrossEntropyLoss(), optimizer)), 3))


if __name__ == "__main__":
    main()
