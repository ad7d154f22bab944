import torch
from torch import nn


def train_one_epoch(model, batches, optimizer, scaler):
    for x, y in batches:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x)
        loss = nn.functional.cross_entropy(logits.float(), y)
        loss.backward()
        scaler.step(optimizer)  # ZG406 lint watch
        scaler.update()
    return loss.item()


def main():
    torch.manual_seed(0)
    model = nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    batches = [(torch.randn(4, 6), torch.randint(0, 3, (4,))) for _ in range(5)]
    for epoch in range(2):
        print(epoch, train_one_epoch(model, batches, optimizer, scaler))


if __name__ == "__main__":
    main()
