"""zerograd inside other tools: pytest, and more to come."""
