"""How far a faulty step is from the right one, measured at a few steps."""
