"""What a run did, step by step, in bounded memory: watch and engine write it, reports draw it."""

from zerograd.history.course import Kind, OptimizerCourse
from zerograd.history.history import History, OptimizerHistory, Parameter
from zerograd.history.series import Series
from zerograd.history.tracker import Tracker

__all__ = [
    "History",
    "Kind",
    "OptimizerCourse",
    "OptimizerHistory",
    "Parameter",
    "Series",
    "Tracker",
]
