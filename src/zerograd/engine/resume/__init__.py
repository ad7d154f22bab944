"""What it takes to stop a run and take it up again: its place, its random numbers, its file."""
