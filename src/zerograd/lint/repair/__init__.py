"""Repairs: candidates that the analysis itself must accept before they are offered."""

from zerograd.lint.repair.candidates import candidates
from zerograd.lint.repair.trainer_items import trainer_fixes
from zerograd.lint.repair.try_out import accepted

__all__ = ["accepted", "candidates", "trainer_fixes"]
