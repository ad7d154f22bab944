"""Which files can hold a gradient's life at all, decided on bytes before anything is parsed."""

from __future__ import annotations

import re

CANDIDATE = re.compile(
    rb"\.backward\(|_backward\(|zero_grad|clip_grad|GradScaler|no_sync|grad_sync"
    rb"|configure_optimizers|training_step|\.grad\b"
)
FOREIGN = re.compile(rb"^\s*(?:import|from)\s+(?:mxnet|paddle|mindspore|chainer|jittor|oneflow|tinygrad)\b", re.M)
"""Frameworks with the same words and other laws."""

STEPS = re.compile(rb"\.step\(")


def is_candidate(content: bytes) -> bool:
    """Tell whether a file may contain something that lint judges."""
    if FOREIGN.search(content) and b"torch" not in content:
        return False
    if CANDIDATE.search(content):
        return True
    return b"optim" in content and STEPS.search(content) is not None
