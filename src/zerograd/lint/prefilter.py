"""Which files can hold a gradient's life at all, decided on bytes before anything is parsed."""

from __future__ import annotations

import re

CANDIDATE = re.compile(
    rb"\.backward\(|_backward\(|zero_grad|clip_grad|GradScaler|no_sync|grad_sync"
    rb"|configure_optimizers|training_step|\.grad\b"
)
STEPS = re.compile(rb"\.step\(")


def is_candidate(content: bytes) -> bool:
    """Tell whether a file may contain something that lint judges."""
    if CANDIDATE.search(content):
        return True
    return b"optim" in content and STEPS.search(content) is not None
