"""Fine-tuning on padded texts, as most scripts do it: eight micro-batches a step."""

import torch
from torch.nn import functional

torch.manual_seed(0)
GRADIENT_ACCUMULATION_STEPS, VOCABULARY, IGNORED = 8, 64, -100


def collate(texts):
    """Pad texts to one length; what is padded has no label."""
    width = max(map(len, texts))
    tokens = torch.zeros(len(texts), width, dtype=torch.long)
    labels = torch.full((len(texts), width), IGNORED)
    for row, text in enumerate(texts):
        tokens[row, : len(text)] = text
        labels[row, : len(text)] = text
    return tokens, labels


lengths = torch.randint(2, 64, (256,)).tolist()
texts = [(torch.arange(n) * torch.randint(1, 9, ()) + n) % VOCABULARY for n in lengths]
loader = torch.utils.data.DataLoader(texts, batch_size=2, collate_fn=collate)
model = torch.nn.Sequential(torch.nn.Embedding(VOCABULARY, 32), torch.nn.Linear(32, VOCABULARY))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for step, (tokens, labels) in enumerate(loader, start=1):
    logits = model(tokens)[:, :-1].flatten(0, 1)
    loss = functional.cross_entropy(logits, labels[:, 1:].flatten(), ignore_index=IGNORED)
    (loss / GRADIENT_ACCUMULATION_STEPS).backward()
    if step % GRADIENT_ACCUMULATION_STEPS == 0:
        optimizer.step()
        optimizer.zero_grad()
