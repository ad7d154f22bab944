"""A gradient is an account: backward deposits, a step spends, zeroing clears."""

from zerograd.lifecycle.severity import Severity

__all__ = ["Severity"]
