"""A watched process from its start to its report: launching, sessions, journals."""
