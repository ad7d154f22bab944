"""Abstract accounts: what lies in an optimizer's gradients for sure, and what may."""

from zerograd.lint.events.accounts.account import (
    EMPTY,
    UNKNOWN,
    AbstractAccount,
    Deposit,
    ThrownDeposit,
)

__all__ = ["EMPTY", "UNKNOWN", "AbstractAccount", "Deposit", "ThrownDeposit"]
