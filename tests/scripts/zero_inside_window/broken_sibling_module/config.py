CONFIG = {"seed": 0, "lr": 0.05, "accumulate": 4}
