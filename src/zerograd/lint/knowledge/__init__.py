"""What libraries do with gradients, as data: one format for the shipped tables and the user's."""

from zerograd.lint.knowledge.table import CallEffect, KnowledgeTable, Row, TouchedAccounts

__all__ = ["CallEffect", "KnowledgeTable", "Row", "TouchedAccounts"]
