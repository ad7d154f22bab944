import torch
from torch import nn, optim

torch.manual_seed(0)

x_train = torch.randn(100, 8)
y_train = torch.randint(0, 2, (100, 1)).float()

net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
criterion = nn.BCELoss()
optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

for epoch in range(5):
    # Forward pass
    outputs = net(x_train)
    loss = criterion(outputs, y_train)

    # Backward pass
    loss.backward()

    # Zero the gradients
    optimizer.zero_grad()  # ZG102 lint watch

    # Update the weights
    optimizer.step()

    print(f"Epoch [{epoch + 1}/5], Loss: {loss.item():.4f}")
