"""The linted program: its text, syntax, scopes and flow, and which of its lines matter."""
