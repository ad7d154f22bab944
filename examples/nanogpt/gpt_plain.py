"""GPT training as one plain loop: accumulation, fp16 or bf16, clipping, cosine schedule, resume.

    python gpt_plain.py [--precision fp32|bf16|fp16] [--steps N] [--stop N] [--checkpoint FILE]

The loop is written out, as those who train GPTs in one file like it. `zerograd lint gpt_plain.py`
and `zerograd watch gpt_plain.py` find nothing: take out one line and try again.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from gpt_model import GPT, Config, Pieces, adamw, factor
from torch import nn

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def train(config: Config, checkpoint: Path | None = None, stop: int | None = None) -> GPT:
    """Train, from a checkpoint if there is one; it is written when the run ends or is stopped."""
    torch.manual_seed(0)
    model = GPT(config)
    optimizer = adamw(model, config)
    scaler = torch.amp.GradScaler("cpu", enabled=config.precision == "fp16", init_scale=1024.0)
    pieces, tested = Pieces(config, seed=1), Pieces(config, seed=2)
    step = restore(checkpoint, model, optimizer, scaler, pieces)
    last = config.steps if stop is None else stop
    while step < last:
        for group in optimizer.param_groups:
            group["lr"] = config.rate * factor(step, config)
        for _ in range(config.window):
            inputs, targets = pieces.next()
            with torch.autocast("cpu", TYPES[config.precision], config.precision != "fp32"):
                loss = model(inputs, targets) / config.window
            scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % 4 == 0:
            print(f"step {step}: loss {tell(model, tested):.4f}, gradient norm {float(norm):.2f}")
    if checkpoint is not None:
        parts: dict[str, Any] = {"model": model, "optimizer": optimizer, "scaler": scaler}
        saved = {name: part.state_dict() for name, part in parts.items()}
        drawn = pieces.generator.get_state()
        torch.save({**saved, "step": step, "drawn": drawn}, checkpoint)
    return model


@torch.no_grad()
def tell(model: GPT, pieces: Pieces) -> float:
    """Return the loss on letters that are not trained on."""
    model.eval()
    loss = model(*pieces.next()).item()
    model.train()
    return float(loss)


def restore(
    path: Path | None,
    model: GPT,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    pieces: Pieces,
) -> int:
    """Take up a checkpoint, if there is one, and return the step to go on with."""
    if path is None or not path.exists():
        return 0
    saved = torch.load(path)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    scaler.load_state_dict(saved["scaler"])
    pieces.generator.set_state(saved["drawn"])
    return int(saved["step"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="train a small GPT")
    parser.add_argument("--precision", choices=TYPES, default="bf16")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--stop", type=int)
    parser.add_argument("--checkpoint", type=Path)
    chosen = parser.parse_args()
    train(Config(steps=chosen.steps, precision=chosen.precision), chosen.checkpoint, chosen.stop)
