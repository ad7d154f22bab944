import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 6, 3)
        self.fc1 = nn.Linear(6 * 3 * 3, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        return self.fc1(torch.flatten(x, 1))


torch.manual_seed(0)
net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)  # ZG303 lint watch

for epoch in range(2):
    running_loss = 0.0
    for i in range(5):
        inputs, labels = torch.rand(4, 1, 8, 8), torch.randint(0, 10, (4,))
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        running_loss += loss.item()
    print("[%d] loss: %.3f" % (epoch + 1, running_loss / 5))
print("Finished Training")
