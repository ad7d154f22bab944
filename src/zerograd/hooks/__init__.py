"""Torch calls become events here; the only package that knows torch's insides."""

from zerograd.hooks.call_site import call_site, construction_site
from zerograd.hooks.guard import guarded
from zerograd.hooks.own_backward import own_backward
from zerograd.hooks.patch_kinds import hidden_from_dynamo
from zerograd.hooks.subscription import subscribe, unsubscribe

__all__ = [
    "call_site",
    "construction_site",
    "guarded",
    "hidden_from_dynamo",
    "own_backward",
    "subscribe",
    "unsubscribe",
]
