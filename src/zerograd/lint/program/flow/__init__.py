"""The control flow of one function, with everything dropped that cannot touch a gradient."""

from zerograd.lint.program.flow.build import flow_of
from zerograd.lint.program.flow.graph import (
    Act,
    Bind,
    Block,
    Branch,
    Guard,
    Leave,
    LeavingKind,
    LoopNode,
    Node,
    Within,
)

__all__ = [
    "Act",
    "Bind",
    "Block",
    "Branch",
    "Guard",
    "Leave",
    "LeavingKind",
    "LoopNode",
    "Node",
    "Within",
    "flow_of",
]
