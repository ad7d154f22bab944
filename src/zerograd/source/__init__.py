"""Facts about the user's source, read from its syntax tree; nothing of it is run."""
