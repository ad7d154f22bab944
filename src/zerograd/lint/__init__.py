"""`zerograd lint`: finds gradient faults in source, by interpreting it without running it."""

from typing import TYPE_CHECKING

from zerograd.lazy_imports import late

if TYPE_CHECKING:
    from zerograd.lint.analysis import Analyser, Analysis
    from zerograd.lint.checks.loop_coverage import LoopReach
    from zerograd.lint.program.project import Project
    from zerograd.lint.program.source_file import CellStart, Source

__all__ = ["Analyser", "Analysis", "CellStart", "LoopReach", "Project", "Source"]

_HOMES = ("program.source_file", "program.project", "checks.loop_coverage", "analysis")

# Late: a run that meets no training code starts without the analysis.
if not TYPE_CHECKING:
    __getattr__ = late(__name__, _HOMES, __all__)
