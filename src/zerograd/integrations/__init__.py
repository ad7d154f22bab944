"""zerograd inside other tools: pytest, notebooks, trainers and experiment trackers."""
