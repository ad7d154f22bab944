"""torchtune style: losses are summed over tokens, the gradients are scaled by the token count before the step."""
import torch
from torch import nn


def scale_grads_(params, scaler):
    for p in params:
        if p.grad is not None:
            p.grad.mul_(scaler)


class Recipe:
    def __init__(self, gradient_accumulation_steps=4, max_steps=4):
        torch.manual_seed(0)
        self._gradient_accumulation_steps = gradient_accumulation_steps
        self._max_steps = max_steps
        self._model = nn.Sequential(nn.Embedding(32, 16), nn.Linear(16, 32))
        self._optimizer = torch.optim.AdamW(self._model.parameters(), lr=2e-4)
        self._loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
        self._lr_scheduler = torch.optim.lr_scheduler.LambdaLR(self._optimizer, lambda step: min(1.0, (step + 1) / 3))
        self.global_step = 0

    def _batches(self):
        for _ in range(self._gradient_accumulation_steps * self._max_steps):
            tokens = torch.randint(0, 32, (2, 9))
            labels = tokens[:, 1:].clone()
            labels[:, int(torch.randint(3, 8, ())) :] = -100
            yield tokens[:, :-1], labels

    def _loss_step(self, tokens, labels):
        logits = self._model(tokens)
        return self._loss_fn(logits.reshape(-1, 32), labels.reshape(-1))

    def train(self):
        self._optimizer.zero_grad()
        running_loss, num_tokens = 0, 0
        for idx, (tokens, labels) in enumerate(self._batches()):
            current_num_tokens = (labels != self._loss_fn.ignore_index).sum()
            num_tokens += current_num_tokens
            current_loss = self._loss_step(tokens, labels) * current_num_tokens
            running_loss += current_loss.detach()
            current_loss.backward()
            if (idx + 1) % self._gradient_accumulation_steps == 0:
                scale_grads_(self._model.parameters(), torch.tensor(1 / num_tokens))
                grad_norm = torch.nn.utils.clip_grad_norm_(self._model.parameters(), max_norm=1.0)
                self._optimizer.step()
                self._optimizer.zero_grad(set_to_none=True)
                self._lr_scheduler.step()
                self.global_step += 1
                print(f"{self.global_step} loss {(running_loss / num_tokens).item():.3f} norm {grad_norm:.2f}")
                running_loss, num_tokens = 0, 0


if __name__ == "__main__":
    Recipe().train()
