"""The GPT training of `gpt_plain.py` with `zerograd.Gradients`: the order is the engine's business.

python gpt_with_engine.py [--precision fp32|bf16|fp16] [--steps N]
"""

from __future__ import annotations

import argparse

import torch
from gpt_model import GPT, Config, Pieces, adamw, factor

import zerograd

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def train(config: Config) -> GPT:
    """Train: `backward` unscales, clips, steps, schedules and clears when a window is full."""
    torch.manual_seed(0)
    model = GPT(config)
    optimizer = adamw(model, config)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor(step, config))
    fp16 = config.precision == "fp16"
    gradients = zerograd.Gradients(
        optimizer,
        accumulate=config.window,
        clip_norm=config.clip,
        scheduler=schedule,
        # The plain loop divides before it scales, the engine after: the same numbers in fp16.
        scaler=torch.amp.GradScaler("cpu", init_scale=1024.0 / config.window) if fp16 else None,
    )
    pieces = Pieces(config, seed=1)
    while gradients.steps < config.steps:
        inputs, targets = pieces.next()
        with torch.autocast("cpu", TYPES[config.precision], config.precision != "fp32"):
            loss = model(inputs, targets)
        step = gradients.backward(loss)
        if step and gradients.steps % 4 == 0:
            print(f"step {gradients.steps}: loss {loss.item():.4f}, {step}")
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="train a small GPT with the engine")
    parser.add_argument("--precision", choices=TYPES, default="bf16")
    parser.add_argument("--steps", type=int, default=12)
    chosen = parser.parse_args()
    train(Config(steps=chosen.steps, precision=chosen.precision))
