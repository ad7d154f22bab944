"""zerograd keeps the books of your gradients: an engine, a watcher and a linter for PyTorch."""

__version__ = "0.1.0.dev0"

__all__ = ["__version__"]
