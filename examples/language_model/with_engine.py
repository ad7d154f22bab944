"""The language model of `plain.py` with `zerograd.Gradients`: nothing is left to forget.

    python with_engine.py [--epochs N] [--precision fp32|bf16|fp16] [--checkpoint FILE] [--stop N]

The checkpoint may be written anywhere, also inside a window: `--stop N` ends after N
micro-batches, and the next run goes on as if nothing had happened.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from characters import Model, batches, counted, surprise

import zerograd

WINDOW, RATE, LIMIT = 4, 0.01, 1.0
PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def train(epochs: int, precision: str, checkpoint: Path | None, stop: int | None) -> Model:
    """Train, from a checkpoint if there is one."""
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 3 * epochs)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0) if precision == "fp16" else None
    gradients = zerograd.Gradients(
        optimizer,
        accumulate=WINDOW,
        clip_norm=LIMIT,
        scheduler=schedule,
        scaler=scaler,
        reduction="sum",
    )
    if checkpoint is not None:
        zerograd.resume(checkpoint, gradients, model=model, missing_ok=True)
    done = 0
    for epoch in range(gradients.epoch, epochs):
        total, characters = 0.0, 0
        for inputs, targets in gradients.batches(batches()):
            with torch.autocast("cpu", PRECISIONS[precision], enabled=precision != "fp32"):
                scores = model(inputs)
            loss = surprise(scores, targets)
            gradients.backward(loss, items=counted(targets))
            total, characters, done = total + loss.item(), characters + counted(targets), done + 1
            if done == stop:
                break
        if checkpoint is not None:
            zerograd.checkpoint(checkpoint, gradients, model=model)
        if done == stop:
            gradients.discard()
            break
        print(f"epoch {epoch}: loss {total / characters:.4f}")
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="train a character-level language model")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--precision", choices=PRECISIONS, default="bf16")
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--stop", type=int)
    train(**vars(parser.parse_args()))
