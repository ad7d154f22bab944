"""A DeepSpeed engine clears inside its own `step()`: a loop without `zero_grad` that is right.

DeepSpeed is not needed to read this, nor to lint it. It runs where DeepSpeed is installed.
"""

from __future__ import annotations

import torch
from torch import nn

CONFIG = {
    "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": 4,
    "gradient_clipping": 1.0,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
}


def main() -> None:
    import deepspeed

    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    engine, *_ = deepspeed.initialize(
        model=model, model_parameters=model.parameters(), config=CONFIG
    )
    for _ in range(12):
        inputs = torch.randn(4, 3, device=engine.device)
        loss = nn.functional.mse_loss(engine(inputs), inputs.sum(dim=1, keepdim=True))
        engine.backward(loss)
        engine.step()
    print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
