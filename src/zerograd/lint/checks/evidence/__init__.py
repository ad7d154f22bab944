"""What several checks look at: windows, divisors, optimizers, and the facts of a step."""
