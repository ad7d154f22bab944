"""A recogniser with CTC, packed sequences, SpecAugment-like masks and a Noam schedule."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class Recogniser(nn.Module):
    def __init__(self, classes=6):
        super().__init__()
        self.rnn = nn.LSTM(5, 12, bidirectional=True)
        self.out = nn.Linear(24, classes)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
        h, lengths = pad_packed_sequence(self.rnn(packed)[0])
        return self.out(h).log_softmax(-1), lengths


torch.manual_seed(73)
model = Recogniser()
optimizer = torch.optim.AdamW(model.parameters(), lr=1.0, betas=(0.9, 0.98))
noam = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda s: 24**-0.5 * 0.1 * min((s + 1) ** -0.5, (s + 1) * 10**-1.5)
)
ctc = nn.CTCLoss(blank=0, zero_infinity=True)
for _ in range(15):
    lengths = torch.randint(8, 14, (6,))
    x = pad_sequence([torch.randn(int(n), 5) for n in lengths])
    x[torch.randint(0, 8, (1,))] = 0
    target_lengths = torch.randint(1, 4, (6,))
    targets = torch.randint(1, 6, (int(target_lengths.sum()),))
    log_probs, out_lengths = model(x, lengths)
    loss = ctc(log_probs, targets, out_lengths, target_lengths)
    if not torch.isfinite(loss):
        continue
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    noam.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
