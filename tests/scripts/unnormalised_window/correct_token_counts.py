import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
PAD = 0
lengths = [3, 7, 5, 6, 2, 8, 4, 5, 6, 7, 3, 4, 8, 2, 5, 5, 6, 3]
sentences = [torch.randint(1, 12, (n,)) for n in lengths]


def collate(batch):
    return nn.utils.rnn.pad_sequence(batch, batch_first=True, padding_value=PAD)


loader = DataLoader(sentences, batch_size=2, collate_fn=collate)
embed, head = nn.Embedding(12, 6, padding_idx=PAD), nn.Linear(6, 12)
params = [*embed.parameters(), *head.parameters()]
optimizer = torch.optim.AdamW(params, lr=1e-3)

running_tokens = 0
for step, tokens in enumerate(loader, start=1):
    labels = tokens[:, 1:]
    n = int((labels != PAD).sum())
    logits = head(embed(tokens[:, :-1]))
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), labels, ignore_index=PAD)
    (loss * n).backward()
    running_tokens += n
    if step % 3 == 0:
        for p in params:
            p.grad *= 1 / running_tokens
        nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        running_tokens = 0
print("tokens weighted")
