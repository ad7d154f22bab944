"""`zerograd lint`: finds gradient faults in source, by interpreting it without running it."""

from typing import TYPE_CHECKING

from zerograd.late import late

if TYPE_CHECKING:
    from zerograd.lint.analysis import Analyser, Analysis
    from zerograd.lint.project import Project
    from zerograd.lint.reach import LoopReach
    from zerograd.lint.source import Cell, Source

__all__ = ["Analyser", "Analysis", "Cell", "LoopReach", "Project", "Source"]

# Late: a run that meets no training code starts without the analysis.
if not TYPE_CHECKING:
    __getattr__ = late(__name__, ("source", "project", "reach", "analysis"), __all__)
