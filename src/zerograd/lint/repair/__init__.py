"""Repairs: candidates that the analysis itself must accept before they are offered."""

from zerograd.lint.repair.accept import accepted
from zerograd.lint.repair.candidates import candidates
from zerograd.lint.repair.trainer_items import trainer_fixes

__all__ = ["accepted", "candidates", "trainer_fixes"]
