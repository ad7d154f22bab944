import torch
from torch import nn

from surgery import extend_vocabulary

torch.manual_seed(0)


class LanguageModel(nn.Module):
    def __init__(self, vocab: int, width: int = 8) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.logits = nn.Linear(width, 12)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.logits(self.rnn(self.embed(tokens))[0])


lm = LanguageModel(10)
optimizer = torch.optim.Adam(lm.parameters(), lr=3e-3)  # ZG306 lint watch
extend_vocabulary(lm, extra=2)

for step in range(5):
    tokens = torch.randint(0, 12, (4, 9))
    loss = nn.functional.cross_entropy(lm(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
