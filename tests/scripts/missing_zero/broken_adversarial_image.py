import torch
from torch import nn

torch.manual_seed(0)
classifier = nn.Sequential(nn.Flatten(), nn.Linear(36, 10)).eval().requires_grad_(False)
image = torch.rand(1, 1, 6, 6)
label = classifier(image).argmax(1)

adversarial = image.clone().detach().requires_grad_(True)
optimizer = torch.optim.Adam([adversarial], lr=0.05)
for _ in range(8):
    loss = -nn.functional.cross_entropy(classifier(adversarial.clamp(0, 1)), label)
    loss.backward()  # ZG101 lint watch
    optimizer.step()
print(label.item(), classifier(adversarial.clamp(0, 1)).argmax(1).item())
