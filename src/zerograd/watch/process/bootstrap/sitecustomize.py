"""Python imports this by itself at the start of every process that `zerograd watch` launched.

So the script is run by Python, not by us: its `__main__`, argv, tracebacks and exit status are
the bare run's, and processes that it spawns are watched too. See `watch/process/launch.py`.
"""

import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

# Out of the way: the user's own sitecustomize, if any, has the same name and must still run.
sys.path[:] = [entry for entry in sys.path if Path(entry) != Path(__file__).parent]
ours = sys.modules.pop("sitecustomize")
try:
    import_module("sitecustomize")
except ModuleNotFoundError as error:
    if error.name != "sitecustomize":
        raise
finally:
    # The import system looks for it when we return.
    sys.modules.setdefault("sitecustomize", ours)
    # Another Python that the script starts need not have zerograd.
    with suppress(ImportError):
        import_module("zerograd.watch.process.child").begin()
