"""The engine: owns an optimizer's gradients, and makes only legal moves on them."""

from zerograd.engine.checkpoint import checkpoint, resume
from zerograd.engine.gradients import Gradients, batches
from zerograd.engine.step import Step

__all__ = ["Gradients", "Step", "batches", "checkpoint", "resume"]
