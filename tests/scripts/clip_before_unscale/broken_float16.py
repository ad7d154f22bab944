import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 5))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 12)

for epoch in range(2):
    for _ in range(4):
        input, target = torch.randn(8, 12), torch.randint(0, 5, (8,))
        with torch.autocast(device_type="cpu", dtype=torch.float16):
            output = net(input)
            loss = nn.functional.cross_entropy(output.float(), target)
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.1)  # ZG402 lint watch
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
    print(epoch, loss.item())
