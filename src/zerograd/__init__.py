"""zerograd keeps the books of your gradients: an engine, a watcher and a linter for PyTorch."""

# Nothing is imported here: this runs before `__main__` takes the working directory off the path,
# and even `__future__` is a file that a linted tree may hold.

# What type checkers take for true. Importing `typing` for it would double the cost of this import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    # From the modules themselves: in the package `batches` is a function and a module.
    from zerograd.engine.checkpoint import checkpoint, resume
    from zerograd.engine.gradients import Gradients, batches
    from zerograd.rules import allow
    from zerograd.watch import watch

__version__ = "0.1.0.dev0"

__all__ = ["Gradients", "__version__", "allow", "batches", "checkpoint", "resume", "watch"]

# Where each public name lives. It is loaded at its first use, so that `import zerograd` and
# the command line load neither torch nor anything else that they do not need.
HOMES = {
    "Gradients": "zerograd.engine",
    "allow": "zerograd.rules",
    "batches": "zerograd.engine",
    "checkpoint": "zerograd.engine",
    "resume": "zerograd.engine",
    "watch": "zerograd.watch",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module 'zerograd' has no attribute {name!r}")
    from importlib import import_module

    try:
        home = import_module(HOMES[name])
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            f"zerograd.{name} needs PyTorch, which is not installed: pip install torch",
            name="torch",
        ) from None
    # `zerograd.watch` is a package that can be called: the name stands for the package itself.
    value: object = home if HOMES[name] == f"zerograd.{name}" else getattr(home, name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: object) -> None:
    """Offer `%%watch` and `%zerograd` in a notebook: IPython calls this at `%load_ext zerograd`."""
    from importlib import import_module

    import_module("zerograd.integrations.notebook").load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Take them away again, at `%unload_ext zerograd`."""
    from importlib import import_module

    import_module("zerograd.integrations.notebook").unload(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
