import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")

for epoch in range(2):
    for i in range(5):
        images, labels = torch.randn(8, 16), torch.randint(0, 4, (8,))
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outputs = model(images)
        loss = criterion(outputs.float(), labels)
        scaler.scale(loss).backward()
        optimizer.step()  # ZG406 lint watch
    print(f"Epoch {epoch}: {loss.item():.4f}")
