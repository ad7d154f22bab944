import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(32)


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        self.visual, self.text = nn.Linear(8, 4), nn.Linear(6, 4)
        self.logit_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, image, text):
        return F.normalize(self.visual(image), dim=-1), F.normalize(self.text(text), dim=-1), self.logit_scale.exp()


def clip_loss(i, t, s):
    logits = s * i @ t.T
    labels = torch.arange(len(i))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


model = Clip()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 6)), batch_size=8)
FREQ = 4
images, texts, features = [], [], {"image": [], "text": []}
for epoch in range(3):
    for i, (image, text) in enumerate(loader):
        with torch.no_grad():
            a, b, _ = model(image, text)
            features["image"].append(a)
            features["text"].append(b)
        images.append(image)
        texts.append(text)
        if (i + 1) % FREQ > 0:
            continue
        optimizer.zero_grad()
        for j in range(FREQ):
            a, b, s = model(images[j], texts[j])
            all_i = torch.cat(features["image"][:j] + [a] + features["image"][j + 1 :])
            all_t = torch.cat(features["text"][:j] + [b] + features["text"][j + 1 :])
            loss = clip_loss(all_i, all_t, s)
            loss.backward()
        optimizer.step()
        images, texts, features = [], [], {"image": [], "text": []}
        with torch.no_grad():
            model.logit_scale.clamp_(0, 4.6052)
