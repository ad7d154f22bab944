"""torchtitan style: a container optimizer, its state made ahead of time by a step on zero gradients."""
from typing import Generic, Iterator, TypeVar

import torch
from torch import nn
from torch.optim import Optimizer

T = TypeVar("T", bound=Optimizer)


class OptimizersContainer(Optimizer, Generic[T]):
    def __init__(self, model_parts: list[nn.Module], optimizer_cls: type[T], optimizer_kwargs: dict):
        all_params = []
        self.optimizers: list[T] = []
        self.model_parts = model_parts
        for model in model_parts:
            params = [p for p in model.parameters() if p.requires_grad]
            self.optimizers.append(optimizer_cls(params, **optimizer_kwargs))
            all_params.extend(params)
        Optimizer.__init__(self, all_params, optimizer_kwargs)

    def __iter__(self) -> Iterator[T]:
        return iter(self.optimizers)

    def step(self, *args, **kwargs) -> None:
        for optimizer in self.optimizers:
            optimizer.step(*args, **kwargs)

    def zero_grad(self, *args, **kwargs) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad(*args, **kwargs)

    def init_cache_state_dict(self) -> dict:
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                for p in group["params"]:
                    p.grad = torch.zeros_like(p)
            learning_rates = [group["lr"] for group in optimizer.param_groups]
            for group in optimizer.param_groups:
                group["lr"] = 0.0
            optimizer.step(closure=None)
            for group, lr in zip(optimizer.param_groups, learning_rates):
                group["lr"] = lr
            optimizer.zero_grad(set_to_none=True)
        return {i: optimizer.state_dict() for i, optimizer in enumerate(self.optimizers)}


class Trainer:
    def __init__(self, steps=4, gradient_accumulation_steps=2):
        torch.manual_seed(0)
        self.model_parts = [nn.Embedding(24, 8), nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 24))]
        self.optimizers = OptimizersContainer(self.model_parts, torch.optim.AdamW, {"lr": 1e-3})
        self.optimizers.init_cache_state_dict()
        self.steps, self.gradient_accumulation_steps = steps, gradient_accumulation_steps

    def batch_generator(self):
        while True:
            tokens = torch.randint(0, 24, (2, 6))
            yield tokens[:, :-1], tokens[:, 1:]

    def forward_backward_step(self, inputs, labels):
        hidden = inputs
        for part in self.model_parts:
            hidden = part(hidden)
        loss = nn.functional.cross_entropy(hidden.flatten(0, 1), labels.flatten(0, 1))
        loss = loss / self.gradient_accumulation_steps
        loss.backward()
        return loss.detach()

    def train_step(self, data_iterator):
        self.optimizers.zero_grad()
        accumulated_losses = []
        for _ in range(self.gradient_accumulation_steps):
            inputs, labels = next(data_iterator)
            accumulated_losses.append(self.forward_backward_step(inputs, labels))
        params = [p for m in self.model_parts for p in m.parameters()]
        torch.nn.utils.clip_grad_norm_(params, 1.0, foreach=True)
        self.optimizers.step()
        return torch.sum(torch.stack(accumulated_losses))

    def train(self):
        data_iterator = self.batch_generator()
        for step in range(self.steps):
            print(step, f"{self.train_step(data_iterator).item():.3f}")


Trainer().train()
