"""The environment variables by which a watched process knows that it is one."""

FOLDER = "ZEROGRAD_WATCH_FOLDER"
OPTIONS = "ZEROGRAD_WATCH_OPTIONS"
