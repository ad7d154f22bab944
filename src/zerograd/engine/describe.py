"""What an engine prints: its optimizers, its arguments and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerograd.engine.window_keeper import WindowKeeper


def described(keeper: WindowKeeper) -> str:
    """Return `Gradients(AdamW, accumulate=4, 1 micro-batch open, 12 steps)`."""
    options = keeper.options
    parts = [type(optimizer).__name__ for optimizer in options.optimizers]
    parts.append(f"accumulate={keeper.books.accumulate}")
    if options.clip_norm is not None:
        limits = options.clip_norm
        parts.append(f"clip_norm={limits[0] if len(limits) == 1 else list(limits)}")
    done = keeper.books.window.micro_batches
    parts.append(f"{done} micro-batch{'es' * (done != 1)} open" if done else "window closed")
    parts.append(f"{keeper.windows} step{'s' * (keeper.windows != 1)}")
    counts = (("skipped", int(keeper.spending.skipped)), ("discarded", keeper.discarded))
    parts += [f"{count} {what}" for what, count in counts if count]
    return f"Gradients({', '.join(parts)})"
