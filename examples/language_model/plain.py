"""A character-level language model in plain PyTorch, with the classic mistakes as switches.

    python plain.py [--mistake NAME] [--epochs N] [--precision fp32|bf16|fp16] [--checkpoint FILE]

Without a mistake it is right: a window's losses are divided by all characters of the window,
unscaled, clipped and spent once, tails too, and an average of the weights follows each step. Try
`zerograd lint plain.py`, `zerograd watch plain.py --mistake missing-zero`, and
`zerograd prove plain.py --mistake unequal-micro-batches`. `with_engine.py` is the same training
with `zerograd.Gradients`.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from characters import Model, batches, counted, surprise, thinned
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

MISTAKES = (
    *("missing-zero", "zero-before-step", "clip-before-unscale", "tail-leaks"),
    *("unequal-micro-batches", "average-in-window"),
)
WINDOW, RATE, LIMIT, SCALE, DECAY = 4, 0.01, 1.0, 1024.0, 0.9
PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def train(mistake: str | None, epochs: int, precision: str, checkpoint: Path | None) -> Model:
    """Train, from a checkpoint if there is one; it is written after each epoch."""
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 3 * epochs)
    scaler = torch.amp.GradScaler("cpu", enabled=precision == "fp16", init_scale=SCALE)
    averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(DECAY))
    parts = {"model": model, "optimizer": optimizer, "schedule": schedule, "scaler": scaler}
    parts["averaged"] = averaged
    first = restore(checkpoint, parts)
    loader = thinned(batches()) if mistake == "unequal-micro-batches" else batches()
    for epoch in range(first, epochs):
        total, seen = 0.0, 0
        for start in range(0, len(loader), WINDOW):
            window = loader[start : start + WINDOW]
            characters = sum(counted(targets) for _, targets in window)
            for inputs, targets in window:
                with torch.autocast("cpu", PRECISIONS[precision], enabled=precision != "fp32"):
                    scores = model(inputs)
                summed = surprise(scores, targets)
                loss = summed / characters
                if mistake == "unequal-micro-batches":
                    loss = summed / counted(targets) / len(window)
                scaler.scale(loss).backward()
                total += summed.item()
                if mistake == "average-in-window":
                    averaged.update_parameters(model)
            seen += characters
            if mistake == "tail-leaks" and len(window) < WINDOW:
                continue
            if mistake == "zero-before-step":
                optimizer.zero_grad()  # ZG102 lint
            if mistake == "clip-before-unscale":
                nn.utils.clip_grad_norm_(model.parameters(), LIMIT)
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), LIMIT)
            scaler.step(optimizer)
            scaler.update()
            averaged.update_parameters(model)
            schedule.step()
            if mistake != "missing-zero":
                optimizer.zero_grad()
        print(f"epoch {epoch}: loss {total / seen:.4f}")
        save(checkpoint, parts, epoch + 1)
    return model


def save(path: Path | None, parts: dict[str, Any], epoch: int) -> None:
    """Write everything that the next epoch needs; the old file stays until the new is whole."""
    if path is not None:
        fresh = path.with_suffix(".new")
        states = {name: part.state_dict() for name, part in parts.items()}
        torch.save({**states, "epoch": epoch, "random": torch.get_rng_state()}, fresh)
        fresh.replace(path)


def restore(path: Path | None, parts: dict[str, Any]) -> int:
    """Take up a checkpoint, if there is one, and return the epoch to go on with."""
    if path is None or not path.exists():
        return 0
    states = torch.load(path)
    for name, part in parts.items():
        part.load_state_dict(states[name])
    torch.set_rng_state(states["random"])
    return int(states["epoch"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="train a character-level language model")
    parser.add_argument("--mistake", choices=MISTAKES)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--precision", choices=PRECISIONS, default="bf16")
    parser.add_argument("--checkpoint", type=Path)
    train(**vars(parser.parse_args()))
