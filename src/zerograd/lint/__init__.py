"""`zerograd lint`: finds gradient faults in source, by interpreting it without running it."""

from zerograd.lint.analysis import Analyser, Analysis
from zerograd.lint.project import Project
from zerograd.lint.reach import LoopReach, summary
from zerograd.lint.source import Cell, Source

__all__ = ["Analyser", "Analysis", "Cell", "LoopReach", "Project", "Source", "summary"]
