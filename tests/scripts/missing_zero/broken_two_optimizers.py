import torch
from torch import nn

torch.manual_seed(0)

encoder = nn.Sequential(nn.Linear(12, 6), nn.ReLU())
classifier = nn.Linear(6, 4)

enc_optim = torch.optim.Adam(encoder.parameters(), lr=1e-3)
cls_optim = torch.optim.SGD(classifier.parameters(), lr=1e-1, momentum=0.9)
criterion = nn.CrossEntropyLoss()

data = [(torch.randn(10, 12), torch.randint(0, 4, (10,))) for _ in range(6)]

for epoch in range(2):
    for x, y in data:
        enc_optim.zero_grad()
        out = classifier(encoder(x))
        loss = criterion(out, y)
        loss.backward()  # ZG101 lint watch
        enc_optim.step()
        cls_optim.step()
    print("epoch", epoch, "loss", round(loss.item(), 3))
