"""Assertions for a user's own tests: splitting a batch must not change its gradient."""

from zerograd.testing.same_gradients import assert_same_gradients

__all__ = ["assert_same_gradients"]
