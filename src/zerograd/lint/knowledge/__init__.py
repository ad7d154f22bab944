"""What libraries do with gradients, as data: one format for the shipped tables and the user's."""

from zerograd.lint.knowledge.table import Effect, Knowledge, On, Row

__all__ = ["Effect", "Knowledge", "On", "Row"]
