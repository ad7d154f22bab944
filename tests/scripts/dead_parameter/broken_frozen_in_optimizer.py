import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
classifier = nn.Linear(32, 2)
model = nn.Sequential(features, classifier)

for param in features.parameters():
    param.requires_grad = False

criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.01, momentum=0.9)  # ZG305 lint watch

for epoch in range(3):
    inputs, labels = torch.rand(8, 3, 8, 8), torch.randint(0, 2, (8,))
    optimizer.zero_grad()
    outputs = model(inputs)
    loss = criterion(outputs, labels)
    loss.backward()
    optimizer.step()
    print("Epoch {}/{} Loss: {:.4f}".format(epoch, 2, loss.item()))
