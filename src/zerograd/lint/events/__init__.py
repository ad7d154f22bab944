"""From a piece of syntax to what it does: deposits, clears, steps, clips, calls."""

from zerograd.lint.events.event import SourceEvent
from zerograd.lint.events.recognise import events_of

__all__ = ["SourceEvent", "events_of"]
