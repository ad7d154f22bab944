"""Models over several processes: one window, one count and one decision for all ranks."""
