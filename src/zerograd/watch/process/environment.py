"""The environment variables by which a watched process knows that it is one."""

FOLDER = "ZEROGRAD_WATCH_FOLDER"
"""Where it keeps its journal."""

OPTIONS = "ZEROGRAD_WATCH_OPTIONS"
"""What it was asked for: see `Options`."""
