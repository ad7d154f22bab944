import torch
import torch.nn as nn

torch.manual_seed(42)

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

X = torch.randn(100, 8)
y = torch.randint(0, 2, (100,))

for epoch in range(5):
    model.train()
    with torch.no_grad():
        outputs = model(X)
        loss = criterion(outputs, y)
    optimizer.zero_grad()
    loss.backward()  # ZG601 lint
    optimizer.step()
    print(f"Epoch {epoch + 1}, Loss: {loss.item():.4f}")
