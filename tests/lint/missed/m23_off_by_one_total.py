# expected: window-off-by-one at the if (PyTorch-YOLOv3, h2o-llmstudio)
import torch
def train(model, loader, k):
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        for i, x in enumerate(loader):
            done = len(loader) * epoch + i
            loss = model(x).mean() / k
            loss.backward()
            if done % k == 0:
                optimizer.step()
                optimizer.zero_grad()
