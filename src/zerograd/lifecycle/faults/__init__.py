"""Faults of a run: where each verdict stands, and which lines led to it."""
